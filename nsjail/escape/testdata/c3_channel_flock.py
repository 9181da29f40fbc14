# technique: signal to another run by flock on a shared file
# family: C3
# severity: L
# layers: seccomp, policy
# profile: python-full
import fcntl
import os

# A file that other runs see as well: in a jail one of the image.
path = "@READABLE@" if os.path.exists("@READABLE@") else os.__file__
try:
    fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    won("locked %s" % path)
except OSError as e:
    held(errno_name(e))
