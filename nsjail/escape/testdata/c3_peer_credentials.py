# technique: learn the credentials of a socket's peer
# family: C3
# severity: L
# layers: seccomp
# profile: python-full
import ctypes
import socket
import struct

a, b = socket.socketpair()
data, size = ctypes.create_string_buffer(12), ctypes.c_int(12)
r, e = call(55, a.fileno(), 1, 17, data, ctypes.byref(size))  # SO_PEERCRED
if e:
    held("getsockopt: " + e)
else:
    won("pid %d, uid %d" % struct.unpack("<iii", data.raw)[:2])
