# technique: signal everything with kill(-1)
# family: C2
# severity: H
# layers: policy, pid_namespace, ids
import os

try:
    os.kill(-1, 0)
    won("somebody would take a signal")
except OSError as e:
    held(errno_name(e))
