// technique: the list of handles that the process keeps
// family: B
// severity: H
// layers: policy, net_namespace, seccomp
try {
  process.stdout.write('');
  const [found] = process._getActiveHandles().concat(process.stdout).filter((h) => typeof h.connect === 'function');
  reached('the class of sockets');
  const socket = new found.constructor();
  socket.on('data', (data) => { won('read ' + data); socket.destroy(); });
  socket.on('error', held);
  socket.connect('@SOCKET@');
} catch (e) { held(e); }
