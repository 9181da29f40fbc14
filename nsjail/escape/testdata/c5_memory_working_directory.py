# technique: memory through files of the working directory
# family: C5
# severity: H
# layers: cgroup, tmpfs_size
# memory_mb: 64
n = 0
try:
    with open("file", "wb") as f:
        for _ in range(200):
            n += f.write(bytes(1 << 20))
    won("wrote %d bytes" % n)
except OSError as e:
    held("after %d bytes: %s" % (n, errno_name(e)))
