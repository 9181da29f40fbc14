// technique: timers without end
// family: C5
// severity: H
// layers: supervisor
// verdict: wall_timeout
// timeout_ms: 400
// within_ms: 5000
const timer = setInterval(() => {}, 10);
setTimeout(() => { won('1.1 s of timers'); clearInterval(timer); }, 1100);
