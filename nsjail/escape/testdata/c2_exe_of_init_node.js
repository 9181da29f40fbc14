// technique: open the executable of pid 1 by fs (looking only)
// family: C2
// severity: C
// layers: policy, no_proc, ids
try {
  const fs = require('fs');
  const parent = /^PPid:\s*(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
  const head = Buffer.alloc(4);
  fs.readSync(fs.openSync(`/proc/${parent}/exe`, 'r'), head);
  won(`begins with ${head.toString('latin1', 1)}`);
} catch (e) { held(e); }
