// technique: promises that never let the loop go on
// family: C5
// severity: H
// layers: supervisor
// verdict: wall_timeout
// timeout_ms: 400
// within_ms: 5000
const begin = Date.now();
(async () => {
  while (Date.now() < begin + 1100) await null;
  won('1.1 s of microtasks');
})();
