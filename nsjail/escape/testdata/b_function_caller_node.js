// technique: the arguments of the function that calls
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
function find() { return find.caller.arguments[1]; }
let found;
try { found = find(); } catch { /* strict code does not show it */ }
readHost(() => { found('fs'); return found; });
