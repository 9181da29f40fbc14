// technique: eval called by another name
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf((0, globalThis['ev' + 'al'])('process')));
