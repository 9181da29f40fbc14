// technique: the thread waits for what never comes
// family: C5
// severity: H
// layers: supervisor
// verdict: wall_timeout
// timeout_ms: 400
// within_ms: 5000
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
won('waited for 1.1 s');
