// technique: the module vm compiles a function
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const vm = require('vm');
  return loaderOf(fromText((text) => vm.compileFunction(text), 'process'));
});
