// technique: the main module's require
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => loaderOf(require.main ? { mainModule: require.main } : process));
