# technique: more files than the limit
# family: C5
# severity: H
# layers: tmpfs_inodes
n = 0
try:
    for n in range(5000):
        open("f%d" % n, "w").close()
    won("made %d files" % (n + 1))
except OSError as e:
    held("after %d files: %s" % (n, errno_name(e)))
