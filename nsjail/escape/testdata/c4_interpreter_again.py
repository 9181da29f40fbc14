# technique: start the interpreter again, without a policy
# family: C4
# severity: H
# layers: policy, seccomp
try:
    import os, sys
    child = os.posix_spawn(sys.executable or "/usr/bin/python3.11", ["python", "-c", "raise SystemExit(7)"], {})
    won("child's exit status %d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
except Exception as e:
    held(errno_name(e))
