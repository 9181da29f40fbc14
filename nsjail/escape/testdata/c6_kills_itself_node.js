// technique: kills itself to look as if a limit had
// family: C6
// severity: H
// layers: policy, verdict
// policy: relaxed
// verdict: signal
// expect: status=failed, exit_code=null, signal=SIGKILL
won('a reader of signals sees a kill by the memory limit');
process.kill(process.pid, 'SIGKILL');
setInterval(() => {}, 1000);
