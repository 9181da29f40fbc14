// technique: listen on a socket in /tmp by net
// family: C3
// severity: H
// layers: policy, seccomp
try {
  const s = require('net').createServer();
  s.on('error', held);
  s.listen('./own.sock', () => { won('listens'); s.close(); });
} catch (e) { held(e); }
