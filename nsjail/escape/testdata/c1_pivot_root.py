# technique: change the root mount
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

os.makedirs("m/n")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control do it
call("mount", 0, b"/", 0, 0x4000 | 0x40000, 0)
call("mount", b"m", b"m", 0, 0x1000, 0)
if not call("chroot", b"m")[1]:  # an initial root file system cannot be pivoted from
    os.chdir("/")
    call("mount", b"n", b"n", 0, 0x1000, 0)
    attempt("pivot_root", b"n", b"n")
else:
    attempt("pivot_root", b"m", b"m")
