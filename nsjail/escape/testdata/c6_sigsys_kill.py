# technique: sends itself the signal of the filter
# family: C6
# severity: H
# layers: policy, seccomp
import os
import signal

signal.signal(signal.SIGSYS, lambda *a: won("the signal of the filter arrived"))
try:
    os.kill(os.getpid(), signal.SIGSYS)
except OSError as e:
    held(errno_name(e))
