// technique: dynamic import of a program in an address
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
import('data:text/javascript,export default 6 * 7; export const found = process').then((space) => {
  if (space.default === 42) reached('code from a string');
  readHost(() => loaderOf(space.found));
}, (e) => held('the trick gave nothing: ' + e));
