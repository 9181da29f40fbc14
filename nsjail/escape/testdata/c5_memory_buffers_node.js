// technique: more memory outside of the heap than the memory limit
// family: C5
// severity: H
// layers: cgroup
// verdict: memory_limit
// memory_mb: 128
const list = [];
for (let i = 0; i < 30; i++) list.push(Buffer.alloc(10 << 20, 1));
won(`${list.length} buffers of 10 MiB`);
