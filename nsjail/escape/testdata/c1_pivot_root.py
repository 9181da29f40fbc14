# technique: change the root mount
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
call("mount", 0, b"/", 0, 0x4000 | 0x40000, 0)
call("mount", b"m", b"m", 0, 0x1000, 0)
attempt("pivot_root", b"m", b"m")
