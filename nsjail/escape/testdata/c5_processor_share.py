# technique: more than the share of the processors, by threads
# family: C5
# severity: M
# layers: policy, cgroup
# timeout_ms: 20000
# memory_mb: 256
import hashlib
import os
import threading
import time

stop = threading.Event()

def busy():
    block = bytes(1 << 22)
    while not stop.is_set():
        hashlib.sha256(block)

if len(os.sched_getaffinity(0)) < 2:
    held("there is but one processor to have")
else:
    threads = [threading.Thread(target=busy, daemon=True) for _ in range(4)]
    for t in threads:
        t.start()
    most = 0.0
    for _ in range(8):
        wall, cpu = time.monotonic(), time.process_time()
        time.sleep(0.6)
        most = max(most, (time.process_time() - cpu) / (time.monotonic() - wall))
        # A quota of one processor can give a period of 0.1 s more in one window.
        if most > 1.2:
            break
    stop.set()
    (won if most > 1.2 else held)("%.2f processors for 0.6 s" % most)
