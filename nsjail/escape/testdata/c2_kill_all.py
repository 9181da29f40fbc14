# technique: signal everything with kill(-1)
# family: C2
# severity: H
# layers: policy, pid_namespace, ids, seccomp
import os

out, into = os.pipe()
child = 0
try:
    child = os.fork()  # there must be somebody in a control
    if child == 0:
        os.close(into)
        os.read(out, 1)  # ends with the parent
        os._exit(0)
except OSError:
    pass
try:
    os.kill(-1, 0)
    won("somebody would take a signal")
except OSError as e:
    held(errno_name(e))
os.close(into)
if child:
    os.waitpid(child, 0)
