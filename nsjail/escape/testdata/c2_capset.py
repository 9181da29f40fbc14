# technique: set all capabilities
# family: C2
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import struct

call("unshare", 0x10000000)  # where a control has them
full = struct.pack("<6I", 0xffffffff, 0xffffffff, 0, 0x1ff, 0x1ff, 0)
attempt("capset", struct.pack("<II", 0x20080522, 0), full)
