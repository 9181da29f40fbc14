# technique: the exit status of a jail that could not be made
# family: C6
# severity: H
# layers: verdict
# verdict: exit_nonzero
# expect: status=failed, exit_code=125, claimed=false
won("a reader of exit statuses sees a failure of the sandbox")
raise SystemExit(125)
