// technique: start a program by the library for it
// family: C4
// severity: H
// layers: policy, seccomp
try {
  const r = require('child_process').spawnSync('/bin/sh', ['-c', 'exit 7']);
  if (r.status === 7) won("child's exit status 7"); else held(r.error);
} catch (e) { held(e); }
