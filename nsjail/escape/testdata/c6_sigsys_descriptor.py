# technique: a descriptor that is ready sends the signal of the filter
# family: C6
# severity: H
# layers: seccomp
import fcntl
import os
import signal
import time

signal.signal(signal.SIGSYS, lambda *a: won("the signal of the filter arrived"))
r, w = os.pipe()
try:
    fcntl.fcntl(r, 10, signal.SIGSYS)  # F_SETSIG
    fcntl.fcntl(r, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)
    os.write(w, b"x")
    time.sleep(0.1)
except OSError as e:
    held(errno_name(e))
