# technique: out-of-band data with a bit above 32 that the kernel drops
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
import socket

a, b = socket.socketpair()
r, e = call(44, a.fileno(), b"x", 1, 1 << 32 | 1, 0, 0)
if e:
    held("sendto: " + e)
else:
    try:
        won("%s arrived out of band" % b.recv(1, socket.MSG_OOB).decode())
    except OSError as error:
        won("sent, although %s" % errno_name(error))
