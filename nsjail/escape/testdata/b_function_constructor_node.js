// technique: code from a string by a function's constructor
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(fromText((() => {}).constructor, 'process')));
