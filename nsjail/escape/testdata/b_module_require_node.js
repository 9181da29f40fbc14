// technique: the method require of the program's module
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => (name) => module.require(name));
