# technique: ends with success in the middle of things
# family: C6
# severity: M
# layers: verdict
# verdict: completed
# expect: status=succeeded, exit_code=0
# Success is the program's own to claim; a limit is not.
import os

won("the rest is never run")
os._exit(0)
