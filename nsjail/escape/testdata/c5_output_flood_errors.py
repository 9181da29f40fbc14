# technique: more than a gigabyte on the other stream
# family: C5
# severity: H
# layers: supervisor
# verdict: output_limit
# timeout_ms: 30000
import os

won("about to write 1.1 GiB")
block = b"x" * (1 << 20)
for _ in range(1130):
    os.write(2, block)
