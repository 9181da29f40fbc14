// technique: the realm of a failed import's error
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
import('nothing-of-this-name').catch((e) => readHost(() => loaderOf(fromText(e.constructor.constructor, 'process'))));
