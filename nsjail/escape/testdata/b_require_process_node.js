// technique: the module that is the process object
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => loaderOf(require('process')));
