# technique: change the processors of pid 1
# family: C2
# severity: H
# layers: seccomp, ids
# profile: python-full
import ctypes

mask = ctypes.create_string_buffer(128)
call(204, 0, 128, mask)  # sched_getaffinity: our own
attempt(203, 1, 128, mask)
