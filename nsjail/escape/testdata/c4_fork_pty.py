# technique: fork with a terminal
# family: C4
# severity: H
# layers: policy, seccomp, mount_namespace
try:
    import os
    child, terminal = os.forkpty()
    if child == 0:
        os._exit(7)
    won("child's exit status %d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
except Exception as e:
    held(errno_name(e))
