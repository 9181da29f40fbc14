# technique: map a dropped file as code
# family: C4
# severity: H
# layers: noexec, landlock
# profile: python-full
with open("code", "wb") as f:
    f.write(bytes.fromhex("b82a000000c3").ljust(4096, b"\x90"))
at, e = call("mmap", 0, 4096, 5, 2, _os.open("code", 0), 0)
if e:
    held("mmap: " + e)
else:
    won("our own machine code gave %d" % _ctypes.CFUNCTYPE(_ctypes.c_int)(at)())
