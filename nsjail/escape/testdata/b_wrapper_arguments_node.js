// technique: the arguments of the function around the program
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const given = arguments;
readHost(() => { const load = given[1]; load('fs'); return load; });
