// technique: eval called by another name
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const make = globalThis['ev' + 'al'];
  if (make('6 * 7') === 42) reached('code from a string');
  return loaderOf(make('process'));
});
