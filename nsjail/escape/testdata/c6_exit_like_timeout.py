# technique: the exit status by which timeout(1) says that time is up
# family: C6
# severity: H
# layers: verdict
# verdict: exit_nonzero
# expect: status=failed, exit_code=124, claimed=false
won("a reader of exit statuses sees a time-out")
raise SystemExit(124)
