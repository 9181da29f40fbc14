// technique: connect to a service on the host's loopback by net
// family: C3
// severity: C
// layers: policy, seccomp, net_namespace
try {
  const s = require('net').connect({ host: '127.0.0.1', port: Number('@PORT@') });
  s.on('data', (text) => { won(text); s.destroy(); });
  s.on('error', held);
  s.write('@SECRET@');
} catch (e) { held(e); }
