// technique: a hoisted function in the place of one that the start calls
// family: C6
// severity: C
// layers: start, verdict
// policy: relaxed
// verdict: exit_nonzero
// expect: status=failed, exit_code=3, claimed=false
function exit_(n) { globalThis['proc' + 'ess'] && process.reallyExit(n); }
function parseInt() { exit_(0); }
function require_() { exit_(0); }
function Buffer() { exit_(0); }
won('parseInt and Buffer are ours before the first line runs');
exit_(3);
