# technique: execve of a dropped program by a native call
# family: C4
# severity: C
# layers: seccomp, noexec, landlock
# profile: python-full
with open("dropped", "wb") as f:
    f.write(tiny_program(won_line("a program runs by execve")))
_os.chmod("dropped", 0o755)
argv = (_ctypes.c_char_p * 2)(b"dropped", None)
attempt("execve", b"./dropped", argv, argv)
