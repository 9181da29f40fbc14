// technique: the this of the listener of the end
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
process.on('exit', function () { readHost(() => loaderOf(this)); });
