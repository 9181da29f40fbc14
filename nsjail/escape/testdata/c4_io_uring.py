# technique: a ring through which calls are made beside the filter
# family: C4
# severity: C
# layers: seccomp
# profile: python-full
attempt("io_uring_setup", 4, _ctypes.create_string_buffer(120))
