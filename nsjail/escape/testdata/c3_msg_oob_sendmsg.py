# technique: out-of-band data by sendmsg and sendmmsg
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
import ctypes
import socket
import struct

a, b = socket.socketpair()
text = ctypes.create_string_buffer(b"x")
vector = ctypes.create_string_buffer(struct.pack("<QQ", ctypes.addressof(text), 1))
# struct msghdr: name, its length, vector, its length, control, its length, flags; then mmsghdr's own
message = struct.pack("<QIxxxxQQQQiI", 0, 0, ctypes.addressof(vector), 1, 0, 0, 0, 0) + bytes(8)
errors = []
for number, rest in [(46, [message, 1]), (307, [message, 1, 1])]:
    r, e = call(number, a.fileno(), *rest)
    if not e:
        won("sent")
        break
    errors.append(e)
else:
    held(" ".join(errors))
