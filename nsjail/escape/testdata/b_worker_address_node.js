// technique: a worker thread whose program is in its address
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
let worker;
try {
  const { Worker } = require('worker_threads');
  const text = "import { readFileSync } from 'fs'; import { parentPort } from 'worker_threads'; parentPort.postMessage(readFileSync('@READABLE@', 'utf8'));";
  worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(text)));
  reached('a worker thread');
} catch (e) { held(e); }
if (worker) {
  worker.on('message', (text) => won('read ' + text));
  worker.on('error', held);
}
