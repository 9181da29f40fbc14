// technique: reach the call that changes the uid from Node
// family: C2
// severity: H
// layers: policy, seccomp
try {
  const { setuid, getuid } = require('process');
  setuid(getuid());
  won('setuid is allowed');
} catch (e) { held(e); }
