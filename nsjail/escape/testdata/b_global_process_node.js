// technique: the process object by a computed key
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => loaderOf(globalThis['pro' + 'cess']));
