# technique: lock memory
# family: C4
# severity: M
# layers: seccomp, rlimit
# profile: python-full
at, e = call("mmap", 0, 4096, 3, 0x22, -1, 0)
attempt(149, at, 4096)
