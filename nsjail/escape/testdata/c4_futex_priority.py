# technique: futexes that inherit priority
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
word = _ctypes.c_uint32(0)
attempt(202, _ctypes.byref(word), 6 | 128, 0, 0, 0, 0)  # FUTEX_LOCK_PI of a free lock
