# technique: more heap than the memory limit
# family: C5
# severity: H
# layers: cgroup
# verdict: memory_limit
# memory_mb: 64
x = bytearray(300 << 20)
for i in range(0, len(x), 4096):
    x[i] = 1
won("touched 300 MiB")
