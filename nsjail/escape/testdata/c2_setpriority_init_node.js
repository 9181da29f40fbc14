// technique: change the priority of pid 1 from Node
// family: C2
// severity: H
// layers: policy, seccomp, ids
try {
  require('os').setPriority(1, 0);
  won('set it to what it is');
} catch (e) { held(e); }
