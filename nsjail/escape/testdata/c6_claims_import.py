# technique: the exit status by which the harness claims a refused import, where imports are refused
# family: C6
# severity: H
# layers: verdict
# policy: strict
# verdict: import_denied
# expect: status=failed, exit_code=1, claimed=true
won("a reader of exit statuses sees a refused import")
raise SystemExit(91)
