// technique: connect to an abstract socket of the host by net
// family: C3
// severity: C
// layers: policy, seccomp, net_namespace, landlock
try {
  const s = require('net').connect('\0@ABSTRACT@');
  s.on('data', (text) => { won(text); s.destroy(); });
  s.on('error', held);
  s.write('@SECRET@');
} catch (e) { held(e); }
