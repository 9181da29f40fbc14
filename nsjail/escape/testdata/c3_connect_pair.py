# technique: connect a socket that socketpair made elsewhere
# family: C3
# severity: C
# layers: seccomp, mount_namespace, net_namespace
# profile: python-full
import socket

try:
    # The one socket call that is allowed may not become a way out.
    s, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    other.close()
    fresh = socket.socket(fileno=s.detach())
    r, e = call("connect", fresh.fileno(), b"\0\0", 2)  # AF_UNSPEC
    won("a pair's end is free to connect") if not e else held("connect: " + e)
except OSError as error:
    a, b = socket.socketpair()
    r, e = call("connect", a.fileno(), b"\1\0\0" + b"@ABSTRACT@", 3 + len("@ABSTRACT@"))
    won("connected") if not e else held("%s; connect: %s" % (errno_name(error), e))
