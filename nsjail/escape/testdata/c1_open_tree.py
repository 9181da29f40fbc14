# technique: reach a host directory by open_tree
# family: C1
# severity: C
# layers: seccomp, mount_namespace, landlock
# profile: python-full
import os

r, e = call("open_tree", -100, b"@DIR@", 0)
if e:
    held("open_tree: " + e)
else:
    won("read %s" % os.read(os.open("readable", os.O_RDONLY, dir_fd=r), 100).decode())
