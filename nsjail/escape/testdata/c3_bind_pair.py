# technique: give a socket that socketpair made a name
# family: C3
# severity: H
# layers: seccomp, net_namespace
# profile: python-full
import socket

a, b = socket.socketpair()
r, e = call(49, a.fileno(), b"\1\0", 2)  # bind, to a name of the kernel's choice
if e:
    held("bind: " + e)
else:
    won("bound to %s" % a.getsockname()[1:].decode())
