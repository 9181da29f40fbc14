// technique: the constructor of what bind gives
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const make = Function.prototype.call.bind(Object.getPrototypeOf(won.bind()).constructor, null);
  return loaderOf(fromText(make, 'process'));
});
