// technique: the handle inside standard output is of a class that connects
// family: B
// severity: H
// layers: policy, net_namespace, seccomp
try {
  const Pipe = process.stdout._handle.constructor;
  const pipe = new Pipe(0);
  if (typeof pipe.connect === 'function') reached('the class of handles');
  const socket = new process.stdout.constructor({ handle: pipe });
  socket.on('data', (data) => { won('read ' + data); socket.destroy(); });
  socket.on('error', held);
  socket.connect('@SOCKET@');
} catch (e) { held(e); }
