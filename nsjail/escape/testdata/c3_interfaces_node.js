// technique: list the network interfaces
// family: C3
// severity: M
// layers: policy, seccomp, net_namespace
try {
  const names = Object.keys(require('os').networkInterfaces());
  if (names.length > 0) won(names.join(' ')); else held('none');
} catch (e) { held(e); }
