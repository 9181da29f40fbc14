# technique: one expression larger than the memory limit
# family: C5
# severity: H
# layers: cgroup
# verdict: memory_limit
# memory_mb: 64
won("a text of %d letters" % len("x" * 100_000_000 + "é"))
