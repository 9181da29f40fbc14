// technique: runs out of heap and claims success
// family: C6
// severity: H
// layers: policy, verdict
// policy: relaxed
// verdict: memory_limit
// memory_mb: 128
process.on('exit', () => { process.exitCode = 0; });
process.on('uncaughtException', () => process.reallyExit(0));
const list = [];
for (let i = 0; i < 2500000; i++) list.push({ a: i, b: [i] });
won(`a list of ${list.length}`);
