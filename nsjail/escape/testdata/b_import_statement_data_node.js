// technique: an import statement of a program in an address
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
// module: yes
import answer, { found } from 'data:text/javascript,export default 6 * 7; export const found = process';
if (answer === 42) reached('code from a string');
readHost(() => loaderOf(found));
