# technique: a child keeps stdout open after its parent's end
# family: C5
# severity: C
# layers: policy, seccomp, pid_namespace, cgroup
import os
import time

open("linger", "w").close()  # a control's supervisor then ends late
parent = os.getpid()
try:
    if os.fork() == 0:
        while os.getppid() == parent:
            time.sleep(0.01)
        time.sleep(0.5)
        won("stdout is open 0.5 s after the parent's end")
        time.sleep(60)
        os._exit(0)
    held("the child must yet outlive this")
except OSError as e:
    held(errno_name(e))
