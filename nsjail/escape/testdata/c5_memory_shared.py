# technique: a shared mapping larger than the memory limit
# family: C5
# severity: H
# layers: cgroup
# verdict: memory_limit
# memory_mb: 64
import mmap

m = mmap.mmap(-1, 300 << 20)
for i in range(0, len(m), 4096):
    m[i] = 1
won("touched 300 MiB")
