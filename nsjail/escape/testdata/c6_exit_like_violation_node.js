// technique: the exit status by which a harness claims a violation
// family: C6
// severity: H
// layers: verdict
// policy: relaxed
// verdict: exit_nonzero
// expect: status=failed, exit_code=92, claimed=false
won('a reader of exit statuses sees a violation');
process.reallyExit(92);
