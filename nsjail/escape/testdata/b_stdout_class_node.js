// technique: the class of standard output connects to sockets
// family: B
// severity: H
// layers: policy, net_namespace, seccomp
try {
  const socket = new process.stdout.constructor();
  if (typeof socket.connect === 'function') reached('the class of sockets');
  socket.on('data', (data) => { won('read ' + data); socket.destroy(); });
  socket.on('error', held);
  socket.connect('@SOCKET@');
} catch (e) { held(e); }
