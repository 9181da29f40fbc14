# technique: drop a script that names the interpreter, and become it
# family: C4
# severity: H
# layers: policy, seccomp, noexec
try:
    import os, sys
    with open("script", "w") as f:
        f.write("#!%s\nprint(%r)\n" % (sys.executable or "/usr/bin/python3.11", won_line("a dropped script runs").decode()))
    os.chmod("script", 0o755)
    os.execve("./script", ["script"], {})
except Exception as e:
    held(errno_name(e))
