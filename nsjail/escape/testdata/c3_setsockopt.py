# technique: reach the options of sockets, where many bugs were
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
import socket
import struct

a, b = socket.socketpair()
attempt(54, a.fileno(), 1, 7, struct.pack("<i", 4096), 4)  # SO_SNDBUF
