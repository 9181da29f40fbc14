// technique: a comment of old pages hides the end of another
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
let found;
readHost(() => {
  /*
  */ --> nothing of this line runs
  found = globalThis[`pro${'cess'}`];
  return loaderOf(found);
});
