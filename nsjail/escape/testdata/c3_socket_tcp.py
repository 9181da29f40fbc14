# technique: connect to a service on the host's loopback
# family: C3
# severity: C
# layers: policy, seccomp, net_namespace
import socket
import os

try:
    s = socket.create_connection(("127.0.0.1", int("@PORT@")), 2)
    os.write(s.fileno(), b"@SECRET@")
    won("read %s from the host's loopback" % s.recv(100).decode())
except OSError as e:
    held(errno_name(e))
