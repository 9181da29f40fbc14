// technique: a host object's constructor inside a new context
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(require('vm').runInNewContext("this.constructor.constructor('return process')()")));
