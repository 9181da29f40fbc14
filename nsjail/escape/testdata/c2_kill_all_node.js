// technique: signal everything with kill(-1) from Node
// family: C2
// severity: H
// layers: policy, pid_namespace, ids
try {
  require('process').kill(-1, 0);
  won('somebody would take a signal');
} catch (e) { held(e); }
