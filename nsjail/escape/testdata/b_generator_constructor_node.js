// technique: code from a string by a generator function's constructor
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(Object.getPrototypeOf(function* () {}).constructor('yield process')().next().value));
