// technique: a module out of the table of loaded ones
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const [one] = Object.values(require.cache);
  return (name) => one.require(name);
});
