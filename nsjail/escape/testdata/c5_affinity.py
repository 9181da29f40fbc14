# technique: choose one's processor
# family: C5
# severity: L
# layers: seccomp
# profile: python-full
mask = _ctypes.create_string_buffer(128)
call(204, 0, 128, mask)
attempt(203, 0, 128, mask)  # sched_setaffinity, to what it is
