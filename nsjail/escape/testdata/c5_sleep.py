# technique: sleeps past the limit
# family: C5
# severity: H
# layers: supervisor
# verdict: wall_timeout
# timeout_ms: 300
# within_ms: 5000
import time

time.sleep(0.9)
won("slept for 0.9 s")
