# technique: sends itself the signal of the filter by the older call
# family: C6
# severity: H
# layers: seccomp
# profile: python-full
import signal
import threading

signal.signal(signal.SIGSYS, lambda *a: won("the signal of the filter arrived"))
r, e = call(200, threading.get_native_id(), 31)  # tkill
if e:
    held("tkill: " + e)
