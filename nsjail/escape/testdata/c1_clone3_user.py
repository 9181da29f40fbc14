# technique: child in a new user namespace by clone3, whose flags are behind a pointer
# family: C1
# severity: C
# layers: seccomp, user_namespace_limit
# profile: python-full
import os
import struct

pid, e = call("clone3", struct.pack("<8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)
if pid == 0:
    os._exit(42)
if e:
    held("clone3: " + e)
elif os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 42:
    won("a child in a user namespace of its own exited with 42")
else:
    held("no exit status")
