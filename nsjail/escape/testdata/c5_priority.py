# technique: another class of scheduling
# family: C5
# severity: M
# layers: seccomp
# profile: python-full
attempt(144, 0, 5, _ctypes.byref(_ctypes.c_int(0)))  # sched_setscheduler, SCHED_IDLE: from every class one may go there
