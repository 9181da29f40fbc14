# technique: read about other processes in /proc
# family: C1
# severity: H
# layers: policy, no_proc, pid_namespace
import os

try:
    parent = next(line for line in open("/proc/self/status") if line.startswith("PPid:")).split()[1]
    won("the parent is %s" % open("/proc/%s/comm" % parent).read().strip())
except OSError as e:
    held(errno_name(e))
