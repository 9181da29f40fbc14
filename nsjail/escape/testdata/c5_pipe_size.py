# technique: a pipe larger than it is born
# family: C5
# severity: M
# layers: seccomp
import fcntl
import os

r, w = os.pipe()
try:
    won("the pipe now takes %d bytes" % fcntl.fcntl(w, fcntl.F_SETPIPE_SZ, 1 << 20))
except OSError as e:
    held(errno_name(e))
