# technique: leaves a socket for a collector
# family: C6
# severity: H
# layers: policy, seccomp, collector
import os
import socket

try:
    socket.socket(socket.AF_UNIX).bind("result.txt")
    won("a collector finds a socket of mode %o" % os.stat("result.txt").st_mode)
except OSError as e:
    held(errno_name(e))
