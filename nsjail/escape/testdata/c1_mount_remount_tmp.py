# technique: remount /tmp without noexec, nosuid and nodev
# family: C1
# severity: C
# layers: seccomp, capabilities, locked_mounts
# profile: python-full
import os

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
call("mount", b"none", b"m", b"tmpfs", 2 | 4 | 8, 0)  # as /tmp is in a jail
errors = []
for path in [b"/tmp", b"m"]:
    r, e = call("mount", 0, path, 0, 0x20 | 0x1000, 0)
    if not e:
        won("%s is remounted" % path.decode())
        break
    errors.append(e)
else:
    held("mount: " + " ".join(errors))
