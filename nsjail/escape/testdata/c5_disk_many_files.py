# technique: files that together are larger than the limit
# family: C5
# severity: H
# layers: tmpfs_size
n = 0
try:
    for i in range(9):
        with open("file%d" % i, "wb", buffering=0) as f:
            for _ in range(8):
                n += f.write(bytes(1 << 20))
    won("wrote %d bytes" % n)
except OSError as e:
    held("after %d bytes: %s" % (n, errno_name(e)))
