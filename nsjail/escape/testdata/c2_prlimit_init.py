# technique: read and so set the limits of pid 1 by prlimit64
# family: C2
# severity: H
# layers: seccomp, ids
# profile: python-full
import ctypes
import struct

limit = ctypes.create_string_buffer(16)
r, e = call("prlimit64", 1, 7, 0, limit)  # RLIMIT_NOFILE
if e:
    held("prlimit64: " + e)
else:
    won("%d descriptors" % struct.unpack("<QQ", limit.raw)[0])
