// technique: an import statement of the process object
// family: B
// severity: H
// layers: policy, seccomp
// module: yes
import found from 'node:process';
startProcess(() => loaderOf(found));
