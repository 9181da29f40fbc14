# technique: full capabilities in a nested user namespace
# family: C1
# severity: C
# layers: seccomp, user_namespace_limit
# profile: python-full
import ctypes
import struct

r, e = call("unshare", 0x10000000)
data = ctypes.create_string_buffer(24)
call(125, struct.pack("<II", 0x20080522, 0), data)  # capget, version 3
low, _, _, high, _, _ = struct.unpack("<6I", data.raw)
if low or high:
    won("effective capabilities %08x%08x" % (high, low))
else:
    held("unshare: %s; no capability" % e)
