# technique: clear read-only, noexec and nodev by mount_setattr
# family: C1
# severity: C
# layers: seccomp, capabilities, locked_mounts
# profile: python-full
import os
import struct

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
call("mount", b"none", b"m", b"tmpfs", 1 | 2 | 4 | 8, 0)
errors = []
for path in [b"/", b"/tmp", b"m"]:
    # struct mount_attr: set, clear, propagation, user namespace
    r, e = call("mount_setattr", -100, path, 0, struct.pack("<4Q", 0, 1 | 2 | 4 | 8, 0, 0), 32)
    if not e:
        won("the flags of %s are cleared" % path.decode())
        break
    errors.append(e)
else:
    held("mount_setattr: " + " ".join(errors))
