// technique: code from a string by an async function's constructor
// family: B
// severity: H
// layers: policy, seccomp
(async () => {
  let found;
  try { found = loaderOf(await Object.getPrototypeOf(async () => {}).constructor('return process')()); } catch (e) { return held('the trick gave nothing: ' + e); }
  startProcess(() => found);
})();
