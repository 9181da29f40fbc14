# technique: become another interpreter, without a child
# family: C4
# severity: H
# layers: policy, seccomp
try:
    import os, sys
    line = won_line("a new interpreter runs").decode()
    os.execve(sys.executable or "/usr/bin/python3.11", ["python", "-c", "print(%r)" % line], {})
except Exception as e:
    held(errno_name(e))
