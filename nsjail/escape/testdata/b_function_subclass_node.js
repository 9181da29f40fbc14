// technique: a class that extends the one of functions
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  class Maker extends (() => {}).constructor {}
  return loaderOf(fromText((text) => new Maker(text), 'process'));
});
