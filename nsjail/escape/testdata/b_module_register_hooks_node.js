// technique: the list of file kinds through the module of modules
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const { Module } = require('node:module');
  return (name) => Module._load(name, null, false);
});
