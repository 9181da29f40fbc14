// technique: require a module that starts programs
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => require);
