# technique: process_vm_writev on itself, to see whether the call is reachable
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
import ctypes
import os
import struct

text, copy = ctypes.create_string_buffer(b"x" * 16), ctypes.create_string_buffer(16)
r, e = call("process_vm_writev", os.getpid(), struct.pack("<QQ", ctypes.addressof(text), 16), 1, struct.pack("<QQ", ctypes.addressof(copy), 16), 1, 0)
if copy.raw == b"x" * 16:
    won("copied %d bytes" % r)
else:
    held("process_vm_writev: " + e)
