# technique: how much of a file is in memory
# family: C4
# severity: L
# layers: seccomp
# profile: python-full
# Of one's own file, since for any other the kernel wants the right to write.
fd = _os.open("file", _os.O_RDWR | _os.O_CREAT)
attempt("cachestat", fd, _ctypes.create_string_buffer(16), _ctypes.create_string_buffer(40), 0)
