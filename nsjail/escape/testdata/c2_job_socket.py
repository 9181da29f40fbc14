# technique: use the channel between harness and supervisor after the program began
# family: C2
# severity: C
# layers: descriptors
# profile: python-full
import os
import stat

found = []
for fd in range(256):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode) or stat.S_ISDIR(os.fstat(fd).st_mode):
            found.append(fd)
    except OSError:
        pass
if found:
    won("descriptors %s lead to the supervisor" % found)
else:
    held("no descriptor leads to the supervisor")
