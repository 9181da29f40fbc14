// technique: the methods of arrays answer what the program wants, to the guard too
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const { includes, indexOf, some } = Array.prototype;
readHost(() => {
  Object.assign(Array.prototype, { includes: () => true, indexOf: () => 0, some: () => true });
  try { const fs = require('fs'); return () => fs; } finally { Object.assign(Array.prototype, { includes, indexOf, some }); }
});
