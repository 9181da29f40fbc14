# technique: a number that takes for ever
# family: C5
# severity: H
# layers: supervisor
# verdict: wall_timeout
# timeout_ms: 300
# within_ms: 5000
import time

begin = time.monotonic()
n = 7
while time.monotonic() < begin + 0.9:
    n = n * n
won("a number of %d bits" % n.bit_length())
