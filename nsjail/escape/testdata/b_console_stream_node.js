// technique: the stream inside the console
// family: B
// severity: H
// layers: policy, net_namespace, seccomp
try {
  const socket = new console._stdout.constructor();
  if (typeof socket.connect === 'function') reached('the class of sockets');
  socket.on('data', (data) => { won('read ' + data); socket.destroy(); });
  socket.on('error', held);
  socket.connect('@SOCKET@');
} catch (e) { held(e); }
