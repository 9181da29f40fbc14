# technique: ends by itself from the handler of an uncaught error
# family: C6
# severity: H
# layers: policy, verdict
# verdict: exit_nonzero
# expect: status=failed, exit_code=5, claimed=false
import os
import sys

won("the error is never seen")
sys.excepthook = lambda *a: os._exit(5)
raise ValueError("the truth")
