// technique: the functions that a promise hands to a thenable
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
(async () => {
  let make;
  await { then(resolve) { make = resolve.constructor; resolve(); } };
  readHost(() => loaderOf(fromText(make, 'process')));
})();
