// technique: workers of the module cluster
// family: C4
// severity: H
// layers: policy, seccomp
try {
  require('fs').writeFileSync('child.js', 'process.exit(7)');
  const cluster = require('cluster');
  cluster.setupPrimary({ exec: './child.js' });
  const child = cluster.fork();
  child.on('error', held);
  child.on('exit', (code) => (code === 7 ? won("child's exit status 7") : held('ended with ' + code)));
} catch (e) { held(e); }
