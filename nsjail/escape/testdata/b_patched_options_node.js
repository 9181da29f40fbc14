// technique: a property of all objects is read as an option of the guard
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  Object.assign(Object.prototype, { restricted: false, level: 'unrestricted', allowed: true, get: undefined });
  delete Object.prototype.get;
  try { const fs = require('fs'); return () => fs; } finally { for (const k of ['restricted', 'level', 'allowed']) delete Object.prototype[k]; }
});
