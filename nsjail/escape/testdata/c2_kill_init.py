# technique: signal pid 1
# family: C2
# severity: C
# layers: policy, ids, landlock
import os

try:
    os.kill(1, 0)
    won("pid 1 would take a signal")
except OSError as e:
    held(errno_name(e))
