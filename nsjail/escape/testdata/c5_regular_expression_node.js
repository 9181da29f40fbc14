// technique: one match that never comes back
// family: C5
// severity: H
// layers: supervisor
// verdict: wall_timeout
// timeout_ms: 400
// within_ms: 5000
const begin = Date.now();
let length = 16;
while (Date.now() < begin + 1100) /^(a+)+$/.test('a'.repeat(length++) + 'b');
won(`${length} letters kept it busy`);
