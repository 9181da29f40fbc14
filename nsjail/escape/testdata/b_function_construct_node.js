// technique: the class of functions by reflection, with another target
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(fromText((text) => Reflect.construct((() => {}).constructor, [text], Object), 'process')));
