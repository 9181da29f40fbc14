# technique: mount kernel file systems: overlay, proc, sysfs, mqueue, fuse and others
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
errors = []
for kind, data in [(b"ramfs", 0), (b"overlay", b"lowerdir=/usr:/bin"), (b"mqueue", 0), (b"devpts", b"newinstance"), (b"proc", 0), (b"sysfs", 0),
                   (b"cgroup2", 0), (b"debugfs", 0), (b"tracefs", 0), (b"securityfs", 0), (b"bpf", 0)]:
    r, e = call("mount", b"none", b"m", kind, 0, data)
    if not e:
        won("%s is mounted" % kind.decode())
        break
    errors.append("%s %s" % (kind.decode(), e))
else:
    held("; ".join(errors))
