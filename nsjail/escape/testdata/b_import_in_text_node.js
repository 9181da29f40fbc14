// technique: dynamic import inside a compiled text
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const load = fromText(Function, "(name) => import(name)");
  load('fs');
  return loaderOf(fromText(Function, 'process'));
});
