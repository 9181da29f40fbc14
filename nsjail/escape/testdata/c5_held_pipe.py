# technique: a child keeps stdout open after its parent's end
# family: C5
# severity: C
# layers: policy, seccomp, pid_namespace, cgroup
import os
import time

try:
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    won("stdout is held for a minute")
except OSError as e:
    held(errno_name(e))
