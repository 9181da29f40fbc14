# technique: steal a descriptor of pid 1 by pidfd_getfd
# family: C2
# severity: C
# layers: seccomp, ids
# profile: python-full
import os

pidfd, e = call("pidfd_open", 1, 0)
stolen, e2 = call("pidfd_getfd", 0 if e else pidfd, 1, 0)
if e2:
    held("pidfd_open: %s; pidfd_getfd: %s" % (e, e2))
else:
    won("its descriptor 1 is ours, mode %o" % os.fstat(stolen).st_mode)
