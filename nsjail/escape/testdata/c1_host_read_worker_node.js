// technique: read a file of the host from a worker thread
// family: C1
// severity: C
// layers: policy, mount_namespace, landlock
try {
  const { Worker } = require('worker_threads');
  const source = `
    const { parentPort } = require('worker_threads');
    try { parentPort.postMessage(require('fs').readFileSync('@READABLE@', 'utf8')); }
    catch (e) { parentPort.postMessage(String(e)); }`;
  const worker = new Worker(source, { eval: true });
  worker.on('message', (text) => (text === '@CANARY@' ? won(text) : held(text)));
  worker.on('error', held);
} catch (e) { held(e); }
