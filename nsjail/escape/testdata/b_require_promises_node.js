// technique: a submodule whose first component might be let through
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const { open } = require('fs/promises');
if (typeof open === 'function') reached('the module fs/promises');
open('@READABLE@').then((file) => file.readFile('utf8')).then((text) => won('read ' + text), held);
