# technique: file system context by fsopen, fsconfig and fsmount (CVE-2022-0185's way)
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
fs, e = call("fsopen", b"tmpfs", 0)
if e:
    held("fsopen: " + e)
else:
    call("fsconfig", fs, 6, 0, 0, 0)  # FSCONFIG_CMD_CREATE
    fd, e = call("fsmount", fs, 0, 0)
    if e:
        held("fsmount: " + e)
    else:
        won("a detached file system of %d blocks" % os.fstatvfs(fd).f_blocks)
