# technique: connect to a socket of the host by path
# family: C3
# severity: C
# layers: policy, seccomp, mount_namespace, landlock
import socket

try:
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(2)
    s.connect("@SOCKET@")
    won("read %s" % s.recv(100).decode())
except OSError as e:
    held(errno_name(e))
