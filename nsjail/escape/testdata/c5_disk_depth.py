# technique: directories deeper than any path
# family: C5
# severity: M
# layers: tmpfs_inodes
import os

n = 0
try:
    for n in range(4200):
        os.mkdir("d")
        os.chdir("d")
except OSError as e:
    held("at a depth of %d: %s" % (n, errno_name(e)))
else:
    for _ in range(4200):  # no tool could remove it by its path
        os.chdir("..")
        os.rmdir("d")
    won("%d directories deep" % (n + 1))
