// technique: dynamic import of a computed name
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
import('f' + 's').then((fs) => readHost(() => () => fs), (e) => held('the trick gave nothing: ' + e));
