// technique: connect to a service on the host's loopback from a worker thread
// family: C3
// severity: C
// layers: policy, seccomp, net_namespace
try {
  const { Worker } = require('worker_threads');
  const source = `
    const { parentPort } = require('worker_threads');
    const s = require('net').connect({ host: '127.0.0.1', port: Number('@PORT@') });
    s.on('data', (text) => { parentPort.postMessage(String(text)); s.destroy(); });
    s.on('error', (e) => parentPort.postMessage(String(e)));
    s.write('@SECRET@');`;
  const worker = new Worker(source, { eval: true });
  worker.on('message', (text) => (text === '@CANARY@' ? won(text) : held(text)));
  worker.on('error', held);
} catch (e) { held(e); }
