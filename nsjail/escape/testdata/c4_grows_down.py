# technique: a mapping that grows downwards
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
at, e = call("mmap", 0, 4096, 3, 0x122, -1, 0)
r, e = call("mprotect", at, 4096, 1 | 0x1000000)  # PROT_GROWSDOWN
if e:
    held("mprotect: " + e)
else:
    won("a mapping at %x grows" % at)
