# technique: the exit status by which the harness claims a refused import
# family: C6
# severity: H
# layers: verdict
# verdict: import_denied
# expect: status=failed, exit_code=1, claimed=true
import os

won("a reader of exit statuses sees a refused import")
os._exit(91)
