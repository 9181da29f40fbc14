// technique: swallows every error and exits with a status of its choice
// family: C6
// severity: H
// layers: policy, verdict
// policy: relaxed
// verdict: exit_nonzero
// expect: status=failed, exit_code=5, claimed=false
process.on('uncaughtException', () => process.reallyExit(5));
won('the error is never seen');
throw new Error('the truth');
