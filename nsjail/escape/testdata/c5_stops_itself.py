# technique: stops itself, so that it uses no time and does not end
# family: C5
# severity: H
# layers: supervisor, cgroup
# verdict: wall_timeout
# timeout_ms: 300
# within_ms: 5000
import os
import signal

won("about to stop")
os.kill(os.getpid(), signal.SIGSTOP)
