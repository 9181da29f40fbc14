# technique: join a namespace by its file in /proc
# family: C1
# severity: C
# layers: seccomp, no_proc, capabilities
# profile: python-full
import os

call("unshare", 0x10000000 | 0x04000000)  # what lets a control join
fd = 0
for name in ["/proc/1/ns/mnt", "/proc/self/ns/uts"]:
    try:
        fd = os.open(name, os.O_RDONLY)
        break
    except OSError:
        pass  # the call is tried all the same
attempt("setns", fd, 0)
