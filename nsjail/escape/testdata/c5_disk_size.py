# technique: a file larger than the limit of the working directory
# family: C5
# severity: H
# layers: tmpfs_size, rlimit
n = 0
try:
    with open("file", "wb", buffering=0) as f:
        for _ in range(100):
            n += f.write(bytes(1 << 20))
            if n > 70 << 20:
                break
    won("wrote %d bytes" % n)
except OSError as e:
    held("after %d bytes: %s" % (n, errno_name(e)))
