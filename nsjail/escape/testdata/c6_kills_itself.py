# technique: kills itself to look as if a limit had
# family: C6
# severity: H
# layers: policy, verdict
# verdict: signal
# expect: status=failed, exit_code=null, signal=SIGKILL
import os

won("a reader of signals sees a kill by the memory limit")
os.kill(os.getpid(), 9)
