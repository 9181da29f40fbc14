# technique: a grandchild in a session of its own outlives its parents
# family: C5
# severity: C
# layers: policy, seccomp, pid_namespace, cgroup
import os

try:
    r, w = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            while os.getppid() != 1:
                os.sched_yield()
            os.write(w, b"session %d" % os.getsid(0))
            import time
            time.sleep(60)
        os._exit(0)
    os.waitpid(child, 0)
    os.close(w)
    won("the grandchild lives on in " + os.read(r, 100).decode())
except OSError as e:
    held(errno_name(e))
