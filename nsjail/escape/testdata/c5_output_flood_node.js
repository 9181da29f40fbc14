// technique: output that nobody waits for
// family: C5
// severity: H
// layers: supervisor, cgroup
// verdict: completed
// expect: status=succeeded, stdout_truncated=true
won('about to write 50 MiB');
const block = 'x'.repeat(1 << 20);
for (let i = 0; i < 50; i++) console.log(block);
