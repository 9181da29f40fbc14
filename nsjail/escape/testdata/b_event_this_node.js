// technique: the this of an event's listener
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  let found;
  process.once('an event of this name', function () { found = this; });
  process.emit('an event of this name');
  return loaderOf(found);
});
