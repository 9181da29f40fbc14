# technique: the exit status by which a harness claims a violation
# family: C6
# severity: H
# layers: verdict
# policy: relaxed
# verdict: exit_nonzero
# expect: status=failed, exit_code=92, claimed=false
import os

won("a reader of exit statuses sees a violation")
os._exit(92)
