# technique: children without end
# family: C5
# severity: H
# layers: policy, seccomp, cgroup
import os
import signal

children = []
try:
    while len(children) < 100:
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
    won("%d children at once" % len(children))
except OSError as e:
    held("after %d children: %s" % (len(children), errno_name(e)))
for child in children:
    os.kill(child, signal.SIGKILL)
