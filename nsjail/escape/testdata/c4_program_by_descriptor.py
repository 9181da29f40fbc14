# technique: become a dropped program by its descriptor
# family: C4
# severity: C
# layers: seccomp, noexec, landlock
try:
    import os
    with open("dropped", "wb") as f:
        f.write(tiny_program(won_line("a program runs by descriptor")))
    os.chmod("dropped", 0o755)
    fd = os.open("dropped", os.O_RDONLY)
    os.set_inheritable(fd, True)
    os.execve(fd, ["dropped"], {})
except Exception as e:
    held(errno_name(e))
