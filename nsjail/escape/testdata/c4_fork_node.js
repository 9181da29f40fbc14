// technique: start the interpreter again by fork
// family: C4
// severity: H
// layers: policy, seccomp
try {
  require('fs').writeFileSync('child.js', 'process.exit(7)');
  const child = require('child_process').fork('./child.js');
  child.on('error', held);
  child.on('exit', (code) => (code === 7 ? won("child's exit status 7") : held('ended with ' + code)));
} catch (e) { held(e); }
