// Put in front of every JavaScript probe.
function report_(won, proof) {
  console.log('\nPROBE ' + JSON.stringify({ won, proof: String(proof).slice(0, 300) }));
}
function won(proof) { report_(true, proof); }
// The technique has its object in hand, whatever comes of using it.
function reached(what) {
  console.log('\nPROBE ' + JSON.stringify({ reached: true, proof: what }));
}
function held(why) {
  if (why && why.code === 'ERR_IMPORT_DENIED') throw why; // the policy was first: the harness says so
  report_(false, why && why.code ? `${why.code}: ${why.message}` : why);
}
// Wins with the canary of a host file if find, a trick, gives a working require.
function readHost(find) {
  let load;
  try { load = find(); } catch (e) { return held('the trick gave nothing: ' + e); }
  try {
    const fs = load('fs');
    if (typeof fs.readFileSync === 'function') reached('the module fs');
    won('read ' + fs.readFileSync('@READABLE@', 'utf8'));
  } catch (e) { held('the trick worked, reading did not: ' + e); }
}
// Wins with a child's exit status if find gives a working require.
function startProcess(find) {
  let load;
  try { load = find(); } catch (e) { return held('the trick gave nothing: ' + e); }
  try {
    const { spawnSync } = load('child_process');
    if (typeof spawnSync === 'function') reached('the module child_process');
    const child = spawnSync('/bin/sh', ['-c', 'exit 7']);
    if (child.error) throw child.error;
    if (child.status === 7) won("child's exit status 7"); else held('the trick worked, the child ended by ' + child.signal);
  } catch (e) { held('the trick worked, starting a process did not: ' + e); }
}
// A require made from the process object.
function loaderOf(p) {
  const main = p.mainModule || p.getBuiltinModule('module');
  return (name) => (main.require ? main.require(name) : p.getBuiltinModule(name));
}
// What a text evaluates to, by a function that makes functions of texts.
function fromText(make, text) {
  if (make('return 6 * 7')() === 42) reached('code from a string');
  return make('return ' + text)();
}
