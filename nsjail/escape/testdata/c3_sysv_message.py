# technique: System V message queues
# family: C3
# severity: M
# layers: seccomp, ipc_namespace
# profile: python-full
import ctypes
import struct

queue, e = call("msgget", 0, 0o1600)
if e:
    held("msgget: " + e)
else:
    call(69, queue, struct.pack("<q", 1) + b"hello", 5, 0)
    text = ctypes.create_string_buffer(16)
    r, e = call(70, queue, text, 5, 0, 0)
    call(71, queue, 0, 0)  # IPC_RMID
    won("%s arrived" % text.raw[8:13].decode())
