# technique: memory through a descriptor
# family: C5
# severity: H
# layers: seccomp, cgroup
# profile: python-full
# memory_mb: 64
fd, e = call("memfd_create", b"x", 0)
if e:
    held("memfd_create: " + e)
else:
    n = sum(_os.write(fd, bytes(1 << 20)) for _ in range(200))
    won("wrote %d bytes" % n)
