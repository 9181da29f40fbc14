# technique: make written memory executable by the call for protection keys
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
at, e = call("mmap", 0, 4096, 3, 0x22, -1, 0)
code = bytes.fromhex("b82a000000c3")
_ctypes.memmove(at, code, len(code))
r, e = call("pkey_mprotect", at, 4096, 5, -1)
if e:
    held("pkey_mprotect: " + e)
else:
    won("our own machine code gave %d" % _ctypes.CFUNCTYPE(_ctypes.c_int)(at)())
