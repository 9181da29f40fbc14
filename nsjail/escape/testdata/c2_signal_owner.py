# technique: have the kernel send signals about a descriptor by F_SETOWN
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
import os
import socket
import struct

a, b = socket.socketpair()
own, errors = os.getpid(), []
# To itself only, and without O_ASYNC, so that none is ever sent.
for number, t in [(72, (a.fileno(), 8, own)), (72, (a.fileno(), 1 << 32 | 8, own)), ("ioctl", (a.fileno(), 0x8901, struct.pack("<i", own)))]:
    r, e = call(number, *t)
    if not e:
        won("the owner is set")
        break
    errors.append(e)
else:
    held(" ".join(errors))
