# technique: take a file from outside into /tmp by a hard link
# family: C1
# severity: C
# layers: policy, mount_namespace, landlock
import os

errors = []
for path in ["@WRITABLE@", os.__file__, "/etc/passwd"]:
    try:
        os.link(path, "taken")
        won("%s is in /tmp" % path)
        break
    except OSError as e:
        errors.append("%s %s" % (path, e.strerror))
else:
    held("; ".join(errors))
