# technique: raise an ambient capability
# family: C2
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import struct

call("unshare", 0x10000000)  # where a control has them
call("capset", struct.pack("<II", 0x20080522, 0), struct.pack("<6I", 0xffffffff, 0xffffffff, 0xffffffff, 0x1ff, 0x1ff, 0x1ff))
attempt("prctl", 47, 2, 0, 0, 0)  # PR_CAP_AMBIENT, RAISE, CAP_CHOWN
