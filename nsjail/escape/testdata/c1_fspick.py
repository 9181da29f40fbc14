# technique: file system context of a mounted file system by fspick
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
_, e = call("mount", b"none", b"m", b"tmpfs", 0, 0)
attempt("fspick", -100, b"/tmp" if e else b"m", 0)
