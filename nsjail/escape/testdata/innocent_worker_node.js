// technique: a worker thread, messages and shared memory
// family: innocents
// innocent: yes
// policy: relaxed
const { Worker } = require('worker_threads');
const shared = new Int32Array(new SharedArrayBuffer(4));
const worker = new Worker("const { workerData, parentPort } = require('worker_threads'); Atomics.add(workerData, 0, 41); parentPort.postMessage('done')", { eval: true, workerData: shared });
worker.on('message', () => (Atomics.add(shared, 0, 1) === 41 ? won : held)('shared memory holds ' + shared[0]));
worker.on('error', held);
