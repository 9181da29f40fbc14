// technique: see another run's accesses to a shared file by fs.watch
// family: C3
// severity: L
// layers: policy, seccomp
try {
  const fs = require('fs');
  const watcher = fs.watch(fs.existsSync('@DIR@') ? '@DIR@' : '/usr/bin', () => {});
  watcher.close();
  won('watches');
} catch (e) { held(e); }
