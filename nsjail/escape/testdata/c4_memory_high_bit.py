# technique: make written memory executable, with a high bit in the protection
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
at, e = call("mmap", 0, 4096, 3, 0x22, -1, 0)
code = bytes.fromhex("b82a000000c3")
_ctypes.memmove(at, code, len(code))
# PROT_GROWSDOWN is for stacks: with it the call fails, and without the bit that
# the kernel ignores it is the plain one.
for extra in [0x10, 0x8]:
    r, e = call("mprotect", at, 4096, 5 | extra)
    if not e:
        won("our own machine code gave %d" % _ctypes.CFUNCTYPE(_ctypes.c_int)(at)())
        break
else:
    held("mprotect: " + e)
