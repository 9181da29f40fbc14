# technique: signal to another run by the times of a shared file
# family: C3
# severity: L
# layers: policy, read_only_root, landlock
import os

errors = []
for path in ["@WRITABLE@", os.__file__, "/usr", "/dev/null"]:
    try:
        os.utime(path)
        won("set the times of %s" % path)
        break
    except OSError as e:
        errors.append("%s %s" % (path, e.strerror))
else:
    held("; ".join(errors))
