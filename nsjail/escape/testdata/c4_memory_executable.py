# technique: memory that is writable and executable
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
at, e = call("mmap", 0, 4096, 7, 0x22, -1, 0)
if e:
    held("mmap: " + e)
else:
    code = bytes.fromhex("b82a000000c3")  # mov eax, 42; ret
    _ctypes.memmove(at, code, len(code))
    won("our own machine code gave %d" % _ctypes.CFUNCTYPE(_ctypes.c_int)(at)())
