// technique: the process object of the this of a sloppy function
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => loaderOf((function () { return this; })()['process']));
