// technique: the class behind a timer
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const timer = setTimeout(() => {}, 0);
readHost(() => loaderOf(fromText(timer.constructor.constructor, 'process')));
