// technique: an import statement
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
// module: yes
import { readFileSync } from 'fs';
readHost(() => () => ({ readFileSync }));
