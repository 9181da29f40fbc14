# technique: more than a gigabyte of output
# family: C5
# severity: H
# layers: supervisor
# verdict: output_limit
# timeout_ms: 30000
won("about to write 1.1 GiB")
block = "x" * (1 << 20)
for _ in range(1130):
    print(block)
