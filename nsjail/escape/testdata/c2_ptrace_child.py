# technique: trace a child of its own
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
import os
import signal

out, into = os.pipe()
try:
    pid = os.fork()
except OSError as e:
    pid = 0
    r, e = call("ptrace", 0x4206, os.getpid(), 0, 0)
    held("no child to trace; ptrace: " + e)
else:
    if pid == 0:
        os.close(into)
        os.read(out, 1)  # ends with the parent
        os._exit(0)
    r, e = call("ptrace", 0x4206, pid, 0, 0)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if e:
        held("ptrace: " + e)
    else:
        won("a child was traced")
