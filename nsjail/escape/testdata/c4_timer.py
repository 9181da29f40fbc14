# technique: timers, the shape of many kernel bugs
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
attempt("timer_create", 1, 0, _ctypes.create_string_buffer(8))
