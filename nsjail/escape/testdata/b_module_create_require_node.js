// technique: a loader for another place
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => require('module').createRequire('/x.js'));
