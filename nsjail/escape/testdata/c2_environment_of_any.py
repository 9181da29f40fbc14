# technique: find a secret of the supervisor in the environment of any process that can be seen
# family: C2
# severity: H
# layers: policy, no_proc, pid_namespace, ids, environment
try:
    import os
    seen = [pid for pid in os.listdir("/proc") if pid.isdigit() and pid != os.readlink("/proc/self")]
    found = None
    for pid in seen:
        try:
            if b"@ENVIRON_NAME@=@ENVIRON_VALUE@" in open("/proc/%s/environ" % pid, "rb").read().split(b"\0"):
                found = pid
        except OSError:
            pass  # another user's, or ended
    if found:
        won("it is in the environment of process %s" % found)
    else:
        held("%d processes seen, none has it" % len(seen))
except (OSError, ImportError) as e:
    held(errno_name(e))
