# technique: reopen a standard descriptor with another mode
# family: C2
# severity: H
# layers: policy, no_proc, landlock
import os

errors = []
for name, mode in [("/proc/self/fd/1", os.O_RDONLY), ("/dev/stdout", os.O_RDONLY), ("/proc/self/fd/0", os.O_WRONLY), ("/dev/stdin", os.O_WRONLY)]:
    try:
        os.close(os.open(name, mode | os.O_NONBLOCK))
        won("%s is open with another mode" % name)
        break
    except OSError as e:
        errors.append("%s %s" % (name, e.strerror))
else:
    held("; ".join(errors))
