// technique: the newer door to builtin modules
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => (name) => process.getBuiltinModule(name));
