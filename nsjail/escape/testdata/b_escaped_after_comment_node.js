// technique: eval by an escape at the head of a line, after a comment that ends in a backslash
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  // \
\u0065val('globalThis.found = process; reached("code from a string")');
  return loaderOf(globalThis.found);
});
