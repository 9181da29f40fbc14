// technique: the method require of all modules, called on the program's
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const load = Object.getPrototypeOf(module).require;
  return (name) => load.call(module, name);
});
