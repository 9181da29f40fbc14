# technique: more than the share of the processors, by threads
# family: C5
# severity: M
# layers: policy, cgroup
# verdict: wall_timeout
# timeout_ms: 3000
# memory_mb: 256
import hashlib
import os
import threading
import time

def busy():
    block = bytes(1 << 22)
    while True:
        hashlib.sha256(block)

if len(os.sched_getaffinity(0)) < 2:
    held("there is but one processor to have")
    raise SystemExit(1)
for _ in range(4):
    threading.Thread(target=busy, daemon=True).start()
share = 0
# A quota of one processor can give a period of 0.1 s more in one window.
while share < 1.2:
    wall, cpu = time.monotonic(), time.process_time()
    time.sleep(0.6)
    share = (time.process_time() - cpu) / (time.monotonic() - wall)
won("%.2f processors for 0.6 s" % share)
