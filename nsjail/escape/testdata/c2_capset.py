# technique: set capabilities
# family: C2
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import struct

call("unshare", 0x10000000)  # where a control has them
full = struct.pack("<6I", 0xffffffff, 0xffffffff, 0, 0x1ff, 0x1ff, 0)
none = bytes(24)
errors = []
for data in [full, none]:
    r, e = call("capset", struct.pack("<II", 0x20080522, 0), data)
    if not e:
        won("capset is allowed")
        break
    errors.append(e)
else:
    held("capset: " + " ".join(errors))
