# technique: signal the parent
# family: C2
# severity: C
# layers: policy, ids, landlock
import os

try:
    os.kill(os.getppid(), 0)
    won("the parent would take a signal")
except OSError as e:
    held(errno_name(e))
