# technique: signal any other process of the namespace
# family: C2
# severity: H
# layers: policy, pid_namespace, ids
import os

found = []
for pid in range(1, 5000):
    try:
        if pid != os.getpid():
            os.kill(pid, 0)
            found.append(pid)
    except OSError:
        pass
if found:
    won("pids %s would take a signal" % found[:9])
else:
    held("nobody among pids 1 to 4999")
