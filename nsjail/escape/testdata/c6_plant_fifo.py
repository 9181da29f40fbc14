# technique: leaves a FIFO on which a collector blocks
# family: C6
# severity: H
# layers: policy, seccomp, collector
import os

try:
    os.mkfifo("result.txt")
    won("a collector would wait for a writer of mode %o" % os.stat("result.txt").st_mode)
except OSError as e:
    held(errno_name(e))
