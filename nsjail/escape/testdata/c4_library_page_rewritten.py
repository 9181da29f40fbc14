# technique: a private mapping of a library's code, written to and then executed
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
import _ctypes as original

fd = _os.open(original.__file__, 0)
at, e = call("mmap", 0, 4096, 3, 2, fd, 0)
code = bytes.fromhex("b82a000000c3")
_ctypes.memmove(at, code, len(code))
r, e = call("mprotect", at, 4096, 5)
if e:
    held("mprotect: " + e)
else:
    won("our own machine code gave %d" % _ctypes.CFUNCTYPE(_ctypes.c_int)(at)())
