# technique: reopen standard output with another mode
# family: C2
# severity: H
# layers: policy, no_proc, landlock
import os

errors = []
for name in ["/proc/self/fd/1", "/dev/stdout", "/dev/fd/1"]:
    try:
        os.close(os.open(name, os.O_RDONLY | os.O_NONBLOCK))
        won("%s is open for reading" % name)
        break
    except OSError as e:
        errors.append("%s %s" % (name, e.strerror))
else:
    held("; ".join(errors))
