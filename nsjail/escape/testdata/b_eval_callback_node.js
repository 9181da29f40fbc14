// technique: eval as a callback
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  if (['6 * 7'].map(eval)[0] === 42) reached('code from a string');
  return loaderOf(['process'].map(eval)[0]);
});
