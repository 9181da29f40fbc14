# technique: listen on a TCP port
# family: C3
# severity: H
# layers: policy, seccomp, net_namespace
import socket

try:
    s = socket.create_server(("127.0.0.1", 0))
    won("listens on port %d" % s.getsockname()[1])
except OSError as e:
    held(errno_name(e))
