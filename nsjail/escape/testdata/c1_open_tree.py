# technique: open a tree of mounts by open_tree
# family: C1
# severity: C
# layers: seccomp, mount_namespace
# profile: python-full
import os

for path in ["@DIR@", "/tmp", "/"]:
    r, e = call("open_tree", -100, path.encode(), 0)
    if not e:
        break
if e:
    held("open_tree: " + e)
else:
    try:
        won("read %s" % os.read(os.open("readable", os.O_RDONLY, dir_fd=r), 100).decode())
    except OSError as error:
        won("%s is open as a tree, although %s" % (path, errno_name(error)))
