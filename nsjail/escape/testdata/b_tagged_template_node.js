// technique: a tagged template calls the constructor without parentheses
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const make = won.constructor;
  if (make`return 6 * 7```  === 42) reached('code from a string');
  return loaderOf(make`return process```);
});
