// technique: a program in an address exports what it imports from elsewhere
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
// module: yes
import * as space from 'data:text/javascript,export * from "node:fs"';
readHost(() => () => space);
