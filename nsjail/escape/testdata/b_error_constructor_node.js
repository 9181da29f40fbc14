// technique: the class of an error that the library raised
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  try { new URL('x'); } catch (e) { return loaderOf(fromText(e.constructor.constructor, 'process')); }
});
