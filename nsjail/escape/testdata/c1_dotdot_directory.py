# technique: climb above the root from an open directory
# family: C1
# severity: C
# layers: seccomp, mount_namespace, landlock
# profile: python-full
import os

try:
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    fd = os.open("../" * 40 + "@READABLE@"[1:], os.O_RDONLY, dir_fd=here)
    won("read %s" % os.read(fd, 100).decode())
except OSError as e:
    held(errno_name(e))
