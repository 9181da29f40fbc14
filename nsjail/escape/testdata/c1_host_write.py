# technique: open a file outside /tmp for writing
# family: C1
# severity: C
# layers: policy, mount_namespace, read_only_root, landlock
import os

errors = []
# Only what was planted is written to: whoever can open the others can write them.
for path in ["@WRITABLE@", os.__file__, "/etc/passwd", "/usr/lib/safe-exec/steady.bpf"]:
    try:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND)
        if path == "@WRITABLE@":
            os.write(fd, b"written")
        os.close(fd)
        won("%s is open for writing" % path)
        break
    except OSError as e:
        errors.append("%s %s" % (path, e.strerror))
else:
    held("; ".join(errors))
