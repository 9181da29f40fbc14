# technique: a grandchild in a session of its own outlives its parents
# family: C5
# severity: C
# layers: policy, seccomp, pid_namespace, cgroup
import os
import time

open("linger", "w").close()  # a control's supervisor then ends late
try:
    r, w = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(w)
            os.read(r, 1)  # ends with the last of its forebears
            time.sleep(0.5)
            won("lives on in session %d" % os.getsid(0))
            time.sleep(60)
        os._exit(0)
    os.waitpid(child, 0)
    held("the grandchild must yet outlive this")
except OSError as e:
    held(errno_name(e))
