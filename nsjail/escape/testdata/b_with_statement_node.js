// technique: a with statement brings a loader into scope
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => { with (module) { with (constructor) { return _load; } } });
