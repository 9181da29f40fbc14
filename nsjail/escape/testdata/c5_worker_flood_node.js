// technique: worker threads without end
// family: C5
// severity: H
// layers: policy, cgroup
const { Worker } = require('worker_threads');
const most = 40; // each is several threads and a heap
let online = 0;
function more() {
  let w;
  try { w = new Worker('setInterval(() => {}, 1000)', { eval: true }); } catch (e) { return end(e); }
  w.on('error', end);
  w.on('online', () => (++online >= most ? end() : more()));
}
function end(e) {
  if (e) held(`after ${online} workers: ${e}`); else won(`${online} workers at once`);
  process.exit(0);
}
more();
