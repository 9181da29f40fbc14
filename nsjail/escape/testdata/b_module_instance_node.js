// technique: a new module made by the program's module's class
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const made = new module.constructor('/x.js');
  return (name) => made.require(name);
});
