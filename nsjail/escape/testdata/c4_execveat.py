# technique: execveat of a dropped program's open descriptor
# family: C4
# severity: C
# layers: seccomp, noexec, landlock
# profile: python-full
with open("dropped", "wb") as f:
    f.write(tiny_program(won_line("a program runs by execveat")))
_os.chmod("dropped", 0o755)
argv = (_ctypes.c_char_p * 2)(b"dropped", None)
attempt("execveat", _os.open("dropped", 0), b"", argv, argv, 0x1000)
