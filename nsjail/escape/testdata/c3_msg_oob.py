# technique: send out-of-band data through a socket pair
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
import socket

a, b = socket.socketpair()
try:
    a.send(b"x", socket.MSG_OOB)
    won("%s arrived out of band" % b.recv(1, socket.MSG_OOB).decode())
except OSError as e:
    held(errno_name(e))
