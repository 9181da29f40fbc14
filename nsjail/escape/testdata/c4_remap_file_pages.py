# technique: the retired call that rearranges mappings
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
at, e = call("mmap", 0, 8192, 3, 0x21, -1, 0)
attempt(216, at, 4096, 0, 0, 0)
