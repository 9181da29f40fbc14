// Put in front of every JavaScript probe.
function report_(won, proof) {
  console.log('\nPROBE ' + JSON.stringify({ won, proof: String(proof).slice(0, 300) }));
}
function won(proof) { report_(true, proof); }
function held(why) { report_(false, why && why.code ? `${why.code}: ${why.message}` : why); }
