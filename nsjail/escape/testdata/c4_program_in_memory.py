# technique: a program that is no file: memfd_create and execveat
# family: C4
# severity: C
# layers: seccomp, memfd_noexec
# profile: python-full
fd, e = call("memfd_create", b"program", 0)
if e:
    # Whether the other half works is asked by another file.
    held("memfd_create: " + e)
else:
    _os.write(fd, tiny_program(won_line("a program runs from memory")))
    argv = (_ctypes.c_char_p * 2)(b"program", None)
    attempt("execveat", fd, b"", argv, argv, 0x1000)
