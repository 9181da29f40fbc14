// technique: run a text in this realm by the module vm
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => loaderOf(require('vm').runInThisContext('process')));
