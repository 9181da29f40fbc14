// technique: the constructor of a class
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(fromText((class {}).constructor, 'process')));
