// technique: connect to a socket of the host by path by net
// family: C3
// severity: C
// layers: policy, seccomp, mount_namespace, landlock
try {
  const s = require('net').connect('@SOCKET@');
  s.on('data', (text) => { won(text); s.destroy(); });
  s.on('error', held);
} catch (e) { held(e); }
