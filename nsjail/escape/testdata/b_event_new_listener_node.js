// technique: the this of the listener of new listeners
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  let found;
  process.once('newListener', function () { found = this; });
  process.once('x', () => {});
  return loaderOf(found);
});
