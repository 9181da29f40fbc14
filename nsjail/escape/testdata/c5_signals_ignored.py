# technique: ignores every signal that can be ignored, and goes on
# family: C5
# severity: C
# layers: supervisor, cgroup
# verdict: wall_timeout
# timeout_ms: 300
# within_ms: 5000
import signal
import time

for s in range(1, 65):
    try:
        signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
try:
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
except (OSError, ValueError):
    pass
time.sleep(0.9)
won("still there after 0.9 s")
