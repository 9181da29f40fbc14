// technique: the hooks of asynchronous calls hand out the library's own objects
// family: B
// severity: H
// layers: policy, net_namespace, seccomp
let found;
try {
  const { createHook } = require('async_hooks');
  createHook({ init(id, type, trigger, resource) { if (type === 'TickObject') for (const a of resource.args ?? []) if (a?.connect) found = a.constructor; } }).enable();
  process.stdout.write('');
  process.stdout.emit('error' in {} ? '' : 'x');
  process.nextTick(() => {}, process.stdout);
} catch (e) { held(e); }
if (found) {
  reached('the class of sockets');
  const socket = new found();
  socket.on('data', (data) => { won('read ' + data); socket.destroy(); });
  socket.on('error', held);
  socket.connect('@SOCKET@');
}
