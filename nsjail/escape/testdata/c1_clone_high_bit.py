# technique: clone with namespace flags and a bit above 32 that the kernel drops
# family: C1
# severity: C
# layers: seccomp, user_namespace_limit
# profile: python-full
import os

pid, e = call("clone", 1 << 32 | 0x10000000 | 0x20000000 | 17, 0, 0, 0, 0)
if pid == 0:
    os._exit(42)
if e:
    held("clone: " + e)
elif os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 42:
    won("pid 1 of a namespace of our own exited with 42")
else:
    held("no exit status")
