# technique: the interface of eBPF
# family: C4
# severity: C
# layers: seccomp
# profile: python-full
# Looking up in a map that does not exist is harmless and needs no privilege.
reaches("bpf", "EINVAL", 1, _ctypes.create_string_buffer(48), 48)
