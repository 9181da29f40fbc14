// technique: the exit status of a program that was killed for memory
// family: C6
// severity: H
// layers: verdict
// policy: relaxed
// verdict: exit_nonzero
// expect: status=failed, exit_code=137, claimed=false
won('a reader of exit statuses sees a kill by the memory limit');
process.reallyExit(137);
