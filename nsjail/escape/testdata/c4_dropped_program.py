# technique: drop a program where one can write, and become it
# family: C4
# severity: C
# layers: seccomp, noexec, landlock
try:
    import os
    with open("dropped", "wb") as f:
        f.write(tiny_program(won_line("a dropped program runs")))
    os.chmod("dropped", 0o755)
    os.execve("./dropped", ["dropped"], {})
except Exception as e:
    held(errno_name(e))
