// technique: aborts to look as if the engine had run out of memory
// family: C6
// severity: M
// layers: policy, verdict
// policy: relaxed
// verdict: signal
// expect: status=failed, signal=SIGABRT
won('a reader of signals sees an engine out of memory');
process.abort();
