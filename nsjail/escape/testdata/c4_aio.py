# technique: the older asynchronous interface
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
attempt(206, 8, _ctypes.byref(_ctypes.c_long(0)))  # io_setup
