# technique: the table of segments
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
attempt("modify_ldt", 0, _ctypes.create_string_buffer(16), 16)
