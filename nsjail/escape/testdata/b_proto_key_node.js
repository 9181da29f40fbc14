// technique: the constructor through the old key of prototypes
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(fromText(won['__pro' + 'to__'].constructor, 'process')));
