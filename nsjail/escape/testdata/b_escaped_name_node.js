// technique: a name with an escape in it
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(pro\u0063ess));
