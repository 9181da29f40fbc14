// technique: the constructor of a builtin method
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(fromText([].map.constructor, 'process')));
