// technique: connect to a service on the host's loopback by http
// family: C3
// severity: C
// layers: policy, seccomp, net_namespace
try {
  const request = require('http').get({ host: '127.0.0.1', port: Number('@PORT@'), path: '/@SECRET@' });
  // The planted service speaks no HTTP: the parser's error holds what arrived.
  request.on('error', (e) => (String(e.rawPacket).includes('@CANARY@') ? won(e.rawPacket) : held(e)));
} catch (e) { held(e); }
