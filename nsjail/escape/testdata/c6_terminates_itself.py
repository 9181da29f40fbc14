# technique: terminates itself to look as if it had been cancelled
# family: C6
# severity: M
# layers: policy, verdict
# verdict: signal
# expect: status=failed, signal=SIGTERM
import os

won("a reader of signals sees a cancelled run")
os.kill(os.getpid(), 15)
