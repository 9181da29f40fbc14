// technique: the methods of sets answer what the program wants, to the guard too
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const { has } = Set.prototype;
readHost(() => {
  let asked = 0;
  Set.prototype.has = function () { return asked++ % 2 === 0; };
  try { require('fs'); return require; } finally { Set.prototype.has = has; }
});
