# technique: twenty thousand entries in two hundred directories, for a collector
# family: C6
# severity: H
# layers: policy, tmpfs_inodes, collector
# verdict: completed
# expect: status=succeeded, files=0, files_skipped=66
import os

made = 0
try:
    for i in range(200):
        os.mkdir("%d" % i)
        for k in range(100):
            os.symlink("x", "%d/%d" % (i, k))
            made += 1
except OSError:
    pass # so many inodes there are not
won("a collector would look at %d entries" % made)
