// technique: start a program without waiting
// family: C4
// severity: H
// layers: policy, seccomp
try {
  const child = require('child_process').spawn('/bin/sh', ['-c', 'exit 7']);
  child.on('error', held);
  child.on('exit', (code) => won("child's exit status " + code));
} catch (e) { held(e); }
