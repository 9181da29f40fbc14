// technique: signal pid 1 from Node
// family: C2
// severity: C
// layers: policy, ids, landlock
try {
  require('process').kill(1, 0);
  won('pid 1 would take a signal');
} catch (e) { held(e); }
