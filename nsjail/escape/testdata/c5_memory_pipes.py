# technique: memory through full pipes
# family: C5
# severity: M
# layers: rlimit, cgroup
import os

n = 0
try:
    for _ in range(400):
        r, w = os.pipe()
        os.set_blocking(w, False)
        n += os.write(w, bytes(1 << 16))
    won("%d bytes in 400 pipes" % n)
except OSError as e:
    held("after %d bytes: %s" % (n, errno_name(e)))
