# technique: the dynamic loader starts a program for which execute is refused
# family: C4
# severity: H
# layers: seccomp
try:
    import os, sys
    program = sys.executable or "/usr/bin/python3.11"
    os.execve("/lib64/ld-linux-x86-64.so.2", ["ld.so", program, "-c", "print(%r)" % won_line("the loader started a program").decode()], {})
except Exception as e:
    held(errno_name(e))
