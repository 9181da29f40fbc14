# technique: calls that are refused, without end
# family: C5
# severity: H
# layers: policy, seccomp, supervisor
# verdict: syscall_denied
# timeout_ms: 30000
import os

for _ in range(20000):
    try:
        os.getsid(0)
    except OSError:
        pass
won("made 20000 calls")
