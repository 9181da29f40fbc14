# technique: load a library from where one can write
# family: C4
# severity: H
# layers: seccomp, noexec, landlock
# profile: python-full
import _ctypes as original

with open(original.__file__, "rb") as f, open("copy.so", "wb") as g:
    g.write(f.read())
try:
    copy = _ctypes.CDLL("./copy.so")
    won("a function of it is at %x" % _ctypes.cast(copy.PyInit__ctypes, _ctypes.c_void_p).value)
except OSError as e:
    held(errno_name(e))
