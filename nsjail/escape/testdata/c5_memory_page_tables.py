# technique: memory in page tables: a page here and there
# family: C5
# severity: H
# layers: cgroup
# verdict: memory_limit
# memory_mb: 64
import mmap

# One page touched in each 2 MiB needs a page of table beside it.
m = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
try:
    m.madvise(15)  # MADV_NOHUGEPAGE: else a touch may give 2 MiB and no table
except OSError:
    pass
for i in range(0, 64 << 30, 2 << 20):
    m[i] = 1
won("touched 32768 pages of 64 GiB")
