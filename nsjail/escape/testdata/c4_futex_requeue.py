# technique: futexes beyond waiting and waking
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
words = (_ctypes.c_uint32 * 2)()
attempt(202, _ctypes.byref(words), 3 | 128, 0, 0, _ctypes.byref(words, 4), 0)  # FUTEX_REQUEUE
