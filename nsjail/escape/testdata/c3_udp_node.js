// technique: make a UDP socket by dgram
// family: C3
// severity: H
// layers: policy, seccomp, net_namespace
try {
  const s = require('dgram').createSocket('udp4');
  s.on('error', held);
  s.bind(0, '127.0.0.1', () => { won(`bound port ${s.address().port}`); s.close(); });
} catch (e) { held(e); }
