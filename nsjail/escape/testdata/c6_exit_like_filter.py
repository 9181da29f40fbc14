# technique: the exit status of a program that the filter killed
# family: C6
# severity: H
# layers: verdict
# verdict: exit_nonzero
# expect: status=failed, exit_code=159, claimed=false
won("a reader of exit statuses sees a kill by the filter")
raise SystemExit(159)
