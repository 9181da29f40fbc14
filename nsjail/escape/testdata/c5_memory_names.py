# technique: memory in names of files
# family: C5
# severity: M
# layers: tmpfs_inodes
import os

n = 0
try:
    for n in range(4200):
        os.symlink("y", "n" * 200 + str(n))
    won("made %d links" % (n + 1))
except OSError as e:
    held("after %d: %s" % (n, errno_name(e)))
