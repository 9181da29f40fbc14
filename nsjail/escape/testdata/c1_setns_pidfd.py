# technique: join namespaces by a process descriptor
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

call("unshare", 0x10000000 | 0x04000000)  # what lets a control join
fd, e = call("pidfd_open", os.getpid(), 0)
attempt("setns", 0 if e else fd, 0x04000000)
