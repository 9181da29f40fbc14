# technique: the exit status by which the harness claims an exception
# family: C6
# severity: H
# layers: verdict
# verdict: exception
# expect: status=failed, exit_code=1, claimed=true
import os

won("a reader of exit statuses sees an exception")
os._exit(90)
