# technique: open a file outside /tmp for writing
# family: C1
# severity: C
# layers: policy, mount_namespace, read_only_root, landlock
import os

errors = []
# Opened, never written: whoever can open can write.
for path in ["@WRITABLE@", os.__file__, "/etc/passwd", "/usr/lib/safe-exec/steady.bpf"]:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND))
        won("%s is open for writing" % path)
        break
    except OSError as e:
        errors.append("%s %s" % (path, e.strerror))
else:
    held("; ".join(errors))
