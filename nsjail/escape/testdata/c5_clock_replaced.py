# technique: replaces the clock
# family: C5
# severity: H
# layers: supervisor
# verdict: wall_timeout
# timeout_ms: 300
# within_ms: 5000
import time

sleep = time.sleep
time.monotonic = time.time = lambda: 0.0
sleep(0.9)
won("by its own clock no time passed: %s" % time.time())
