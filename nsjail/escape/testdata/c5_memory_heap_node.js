// technique: more objects than the memory limit
// family: C5
// severity: H
// layers: cgroup
// verdict: memory_limit
// memory_mb: 128
const list = [];
for (let i = 0; i < 2500000; i++) list.push({ a: i, b: [i] });
won(`a list of ${list.length}`);
