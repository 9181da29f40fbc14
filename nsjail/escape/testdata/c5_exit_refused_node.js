// technique: goes on at every attempt to end it
// family: C5
// severity: H
// layers: supervisor
// verdict: wall_timeout
// timeout_ms: 400
// within_ms: 5000
process.on('beforeExit', () => { if (Date.now() < begin + 1100) setTimeout(() => {}, 50); else won('went on for 1.1 s'); });
for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(s, () => {});
const begin = Date.now();
