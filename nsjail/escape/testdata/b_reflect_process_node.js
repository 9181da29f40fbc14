// technique: the process object by reflection
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => loaderOf(Reflect.get(globalThis, ['pro', 'cess'].join(''))));
