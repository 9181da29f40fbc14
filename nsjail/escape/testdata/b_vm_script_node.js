// technique: a script of the module vm, with what it imports
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const { Script } = require('node:vm');
  if (new Script('6 * 7').runInThisContext() === 42) reached('code from a string');
  return loaderOf(new Script('process').runInThisContext());
});
