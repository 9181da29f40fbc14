# technique: a timer sends the signal of the filter
# family: C6
# severity: H
# layers: seccomp
# profile: python-full
import signal
import time

signal.signal(signal.SIGSYS, lambda *a: won("the signal of the filter arrived"))
event = _ctypes.create_string_buffer(64)
event[8:12] = (31).to_bytes(4, "little")
timer = _ctypes.c_int()
r, e = call("timer_create", 1, event, _ctypes.byref(timer))
if e:
    held("timer_create: " + e)
else:
    call(223, timer.value, 0, _ctypes.byref((_ctypes.c_long * 4)(0, 0, 0, 1000000)), 0)  # timer_settime
    time.sleep(0.1)
