# technique: connect to an abstract socket of the host
# family: C3
# severity: C
# layers: policy, seccomp, net_namespace, landlock
import socket
import os

try:
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(2)
    s.connect("\0@ABSTRACT@")
    os.write(s.fileno(), b"@SECRET@")
    won("read %s" % s.recv(100).decode())
except OSError as e:
    held(errno_name(e))
