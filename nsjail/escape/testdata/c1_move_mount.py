# technique: attach a detached mount by move_mount
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
fs, e = call("fsopen", b"tmpfs", 0)
fd = 0
if not e:
    call("fsconfig", fs, 6, 0, 0, 0)
    fd = call("fsmount", fs, 0, 0)[0]
before = os.stat("m").st_dev
r, e = call("move_mount", fd, b"", -100, b"m", 4)  # MOVE_MOUNT_F_EMPTY_PATH
if os.stat("m").st_dev != before:
    won("a detached tmpfs is attached")
else:
    held("move_mount: " + e)
