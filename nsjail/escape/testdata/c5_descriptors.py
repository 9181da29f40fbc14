# technique: descriptors without end
# family: C5
# severity: M
# layers: rlimit
import os

n = 0
try:
    for n in range(400):
        os.dup(1)
    won("%d descriptors" % (n + 1))
except OSError as e:
    held("after %d: %s" % (n, errno_name(e)))
