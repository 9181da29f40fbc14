# technique: pass a descriptor through a socket
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
import os
import socket

try:
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    socket.send_fds(a, [b"x"], [os.open(os.__file__, os.O_RDONLY)])
    _, fds, _, _ = socket.recv_fds(b, 1, 1)
    won("descriptor %d arrived" % fds[0])
except OSError as e:
    held(errno_name(e))
