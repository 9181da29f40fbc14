# technique: sends one of its threads the signal of the filter
# family: C6
# severity: H
# layers: policy, seccomp
import signal
import threading

signal.signal(signal.SIGSYS, lambda *a: won("the signal of the filter arrived"))
try:
    signal.pthread_kill(threading.get_ident(), signal.SIGSYS)
except OSError as e:
    held(errno_name(e))
