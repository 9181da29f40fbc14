# technique: map pages of memory into a pipe by vmsplice
# family: C2
# severity: C
# layers: seccomp
# profile: python-full
import ctypes
import os
import struct

out, into = os.pipe()
page = ctypes.create_string_buffer(b"x" * 16)
r, e = call("vmsplice", into, struct.pack("<QQ", ctypes.addressof(page), 16), 1, 0)
if e:
    held("vmsplice: " + e)
else:
    won("%d bytes arrived in the pipe" % len(os.read(out, 16)))
