# technique: many small objects, more than the memory limit
# family: C5
# severity: H
# layers: cgroup
# verdict: memory_limit
# memory_mb: 64
won("a list of %d" % len([{"a": i} for i in range(1_000_000)]))
