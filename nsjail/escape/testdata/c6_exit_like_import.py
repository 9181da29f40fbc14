# technique: the exit status by which the harness claims a refused import, where none is
# family: C6
# severity: H
# layers: verdict
# policy: relaxed
# verdict: exit_nonzero
# expect: status=failed, exit_code=91, claimed=false
import os

won("a reader of exit statuses sees a refused import")
os._exit(91)
