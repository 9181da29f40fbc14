# technique: make a device node (at least a whiteout, which needs no privilege)
# family: C1
# severity: M
# layers: seccomp, user_namespace, nodev
# profile: python-full
import os
import stat

errors = []
# The last is the one that needs no privilege: a whiteout, device 0:0.
for name, kind, device in [("null", stat.S_IFCHR, os.makedev(1, 3)), ("whiteout", stat.S_IFCHR, 0)]:
    r, e = call("mknod", name.encode(), kind | 0o600, device)
    if not e and stat.S_ISCHR(os.stat(name).st_mode):
        won("made the device node %s" % name)
        break
    errors.append(e)
else:
    held("mknod: " + " ".join(errors))
