# technique: move a mount
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

os.mkdir("a")
os.mkdir("b")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
call("mount", b"none", b"a", b"tmpfs", 0, 0)
attempt("mount", b"a", b"b", 0, 0x2000, 0)  # MS_MOVE
