// technique: eval in the scope of the program
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  if (eval('6 * 7') === 42) reached('code from a string');
  return eval('typeof require') === 'function' ? eval('require') : null;
});
