# technique: more names for one file than the limit of files
# family: C5
# severity: M
# layers: tmpfs_inodes
import os

n = 0
open("f", "w").close()
try:
    for n in range(5000):
        os.link("f", "l%d" % n)
    won("made %d links" % (n + 1))
except OSError as e:
    held("after %d links: %s" % (n, errno_name(e)))
