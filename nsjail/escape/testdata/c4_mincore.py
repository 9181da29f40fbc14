# technique: which pages of a shared file are in memory
# family: C4
# severity: L
# layers: seccomp
# profile: python-full
import _ctypes as original

at, e = call("mmap", 0, 4096, 1, 1, _os.open(original.__file__, 0), 0)
attempt(27, at, 4096, _ctypes.create_string_buffer(1))
