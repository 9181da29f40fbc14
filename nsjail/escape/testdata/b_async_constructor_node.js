// technique: code from a string by an async function's constructor
// family: B
// severity: H
// layers: policy, seccomp
(async () => {
  let found;
  try {
    const make = Object.getPrototypeOf(async () => {}).constructor;
    if (await make('return 6 * 7')() === 42) reached('code from a string');
    found = loaderOf(await make('return process')());
  } catch (e) { return held('the trick gave nothing: ' + e); }
  startProcess(() => found);
})();
