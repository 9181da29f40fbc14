// technique: the class of the main module loads
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => (name) => require.main.constructor._load(name));
