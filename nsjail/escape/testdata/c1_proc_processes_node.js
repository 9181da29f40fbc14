// technique: read about other processes in /proc by fs
// family: C1
// severity: H
// layers: policy, no_proc, pid_namespace
try {
  const fs = require('fs');
  const parent = /^PPid:\s*(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
  won(fs.readFileSync(`/proc/${parent}/comm`, 'utf8').trim());
} catch (e) { held(e); }
