// technique: the getter behind the global process
// family: B
// severity: H
// layers: policy, seccomp
startProcess(() => {
  const d = Object.getOwnPropertyDescriptor(globalThis, 'process');
  return loaderOf(d.get ? d.get.call(globalThis) : d.value);
});
