// technique: the methods of maps answer what the program wants, to the guard too
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const { get, has } = Map.prototype;
readHost(() => {
  let asked = 0;
  Object.assign(Map.prototype, { has: () => asked++ % 2 === 0, get: () => true });
  try { const fs = require('fs'); return () => fs; } finally { Object.assign(Map.prototype, { get, has }); }
});
