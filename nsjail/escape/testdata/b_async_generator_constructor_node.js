// technique: code from a string by an async generator function's constructor
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
(async () => {
  let found;
  try {
    const make = Object.getPrototypeOf(async function* () {}).constructor;
    if ((await make('yield 6 * 7')().next()).value === 42) reached('code from a string');
    found = loaderOf((await make('yield process')().next()).value);
  } catch (e) { return held('the trick gave nothing: ' + e); }
  readHost(() => found);
})();
