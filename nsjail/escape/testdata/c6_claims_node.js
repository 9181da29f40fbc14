// technique: the exit status by which the harness claims a violation
// family: C6
// severity: H
// layers: verdict
// verdict: policy_violation
// expect: status=failed, exit_code=1, claimed=true
won('a reader of exit statuses sees a violation');
process.reallyExit(92);
