# technique: make written memory executable
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
at, e = call("mmap", 0, 4096, 3, 0x22, -1, 0)
code = bytes.fromhex("b82a000000c3")
_ctypes.memmove(at, code, len(code))
r, e = call("mprotect", at, 4096, 5)
if e:
    held("mprotect: " + e)
else:
    won("our own machine code gave %d" % _ctypes.CFUNCTYPE(_ctypes.c_int)(at)())
