// technique: clean globals in a worker thread
// family: B
// severity: H
// layers: policy, seccomp
let worker;
try {
  const { Worker } = require('worker_threads');
  worker = new Worker("const r = require('child_process').spawnSync('/bin/sh', ['-c', 'exit 7']); require('worker_threads').parentPort.postMessage(r.error ? String(r.error) : r.status)", { eval: true });
  reached('a worker thread');
} catch (e) { held(e); }
if (worker) {
  worker.on('message', (m) => (m === 7 ? won("child's exit status 7") : held(m)));
  worker.on('error', held);
}
