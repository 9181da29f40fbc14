# technique: write an entry of the table of segments
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
entry = (_ctypes.c_uint32 * 4)(0, 0, 0, 0x28)  # empty: entry 0, read only, not present
attempt("modify_ldt", 1, entry, 16)
