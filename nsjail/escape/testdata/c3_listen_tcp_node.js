// technique: listen on a TCP port by net
// family: C3
// severity: H
// layers: policy, seccomp, net_namespace
try {
  const s = require('net').createServer();
  s.on('error', held);
  s.listen(0, '127.0.0.1', () => { won(`listens on port ${s.address().port}`); s.close(); });
} catch (e) { held(e); }
