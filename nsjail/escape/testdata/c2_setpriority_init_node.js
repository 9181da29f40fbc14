// technique: change the priority of pid 1 from Node
// family: C2
// severity: H
// layers: policy, seccomp, ids
try {
  require('os').setPriority(1, 19);  // whoever may set it at all may do that, whatever it was
  won('set it to the least');
} catch (e) { held(e); }
