# technique: allocate a file without writing it
# family: C5
# severity: H
# layers: seccomp, tmpfs_size, rlimit
import os

try:
    fd = os.open("file", os.O_RDWR | os.O_CREAT)
    os.posix_fallocate(fd, 0, 100 << 20)
    won("allocated %d bytes" % os.fstat(fd).st_size)
except OSError as e:
    held(errno_name(e))
