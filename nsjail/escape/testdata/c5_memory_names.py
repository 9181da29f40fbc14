# technique: memory in names of files
# family: C5
# severity: M
# layers: tmpfs_inodes
import os

n = 0
try:
    for n in range(6000):
        os.symlink("y" * 200, "n%d" % n)
    won("made %d links" % (n + 1))
except OSError as e:
    held("after %d: %s" % (n, errno_name(e)))
