// technique: the constructor by a computed key
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => loaderOf(fromText((() => {})['construc' + 'tor'], 'process')));
