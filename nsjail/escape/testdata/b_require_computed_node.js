// technique: require by a computed name
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => { require('f' + 's'); return require; });
