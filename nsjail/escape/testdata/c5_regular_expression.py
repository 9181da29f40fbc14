# technique: one call of the library that never comes back
# family: C5
# severity: H
# layers: supervisor
# verdict: wall_timeout
# timeout_ms: 300
# within_ms: 5000
import re
import time

begin = time.monotonic()
length = 16
while time.monotonic() < begin + 0.9:
    re.match(r"(a+)+$", "a" * length + "b")
    length += 1
won("%d letters kept it busy" % length)
