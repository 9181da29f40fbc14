// technique: the loader's own function
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => { const load = module.constructor._load; load('fs'); return load; });
