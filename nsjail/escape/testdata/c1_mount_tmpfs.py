# technique: mount a writable tmpfs
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

os.mkdir("m")
before = os.stat("m").st_dev
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
r, e = call("mount", b"none", b"m", b"tmpfs", 0, 0)
if os.stat("m").st_dev != before:
    won("a tmpfs of our own is mounted")
else:
    held("mount: " + e)
