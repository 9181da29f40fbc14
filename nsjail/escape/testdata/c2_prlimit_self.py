# technique: set a limit of its own
# family: C2
# severity: H
# layers: seccomp, capabilities
# profile: python-full
import ctypes

limit = ctypes.create_string_buffer(16)
call("prlimit64", 0, 7, 0, limit)
attempt("prlimit64", 0, 7, limit, 0)  # RLIMIT_NOFILE, to what it is
