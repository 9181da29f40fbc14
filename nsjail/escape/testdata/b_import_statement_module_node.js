// technique: an import statement of the module of modules
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
// module: yes
import { createRequire } from 'node:module';
readHost(() => createRequire(import.meta.url));
