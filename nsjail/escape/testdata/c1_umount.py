# technique: unmount what covers a directory
# family: C1
# severity: C
# layers: seccomp, capabilities, locked_mounts
# profile: python-full
import os

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
call("mount", b"none", b"m", b"tmpfs", 0, 0)
errors = []
for path in [b"/tmp", b"/dev", b"m", b"/"]:
    r, e = call("umount2", path, 2)  # MNT_DETACH
    if not e:
        won("%s is unmounted" % path.decode())
        break
    errors.append(e)
else:
    held("umount2: " + " ".join(errors))
