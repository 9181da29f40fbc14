// technique: a separator of lines ends a comment
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  let found;
  // A comment. found = pro\u0063ess;
  return loaderOf(found);
});
