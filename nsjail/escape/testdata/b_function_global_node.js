// technique: code from a string by the global Function
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(fromText(Function, 'process')));
