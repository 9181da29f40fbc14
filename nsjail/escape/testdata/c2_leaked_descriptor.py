# technique: find any descriptor above 2 that the program did not open
# family: C2
# severity: C
# layers: policy, descriptors
import os
import stat

found = []
for fd in range(3, 256):
    try:
        found.append("%d of kind %o" % (fd, stat.S_IFMT(os.fstat(fd).st_mode)))
    except OSError:
        pass
if found:
    won(found)
else:
    held("only 0, 1 and 2 are open")
