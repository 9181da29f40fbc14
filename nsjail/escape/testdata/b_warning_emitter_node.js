// technique: the emitter in Node's warning of too many listeners
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
require('events').defaultMaxListeners = 1;
let real;
process.on('warning', (warning) => { if (warning.emitter?.['main' + 'Module']) real ??= warning.emitter; });
process.on('exit', () => {});
process.on('exit', () => {});
setTimeout(() => readHost(() => loaderOf(real)), 20);
