// technique: read the environment of pid 1 by fs
// family: C2
// severity: H
// layers: policy, no_proc, ids, environment
try {
  const fs = require('fs');
  const parent = /^PPid:\s*(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
  const text = fs.readFileSync(`/proc/${parent}/environ`, 'utf8');
  won(`${text.length} characters, with the secret: ${text.includes('@ENVIRON_NAME@=@ENVIRON_VALUE@')}`);
} catch (e) { held(e); }
