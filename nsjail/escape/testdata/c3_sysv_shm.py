# technique: System V shared memory
# family: C3
# severity: M
# layers: seccomp, ipc_namespace
# profile: python-full
import ctypes

segment, e = call("shmget", 0, 4096, 0o1600)
if e:
    held("shmget: " + e)
else:
    at, e = call("shmat", segment, 0, 0)
    ctypes.memmove(at, b"x", 1)
    call(31, segment, 0, 0)  # IPC_RMID
    won("segment %d holds %s" % (segment, ctypes.string_at(at, 1).decode()))
