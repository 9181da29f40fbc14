// technique: change the uid from Node
// family: C2
// severity: C
// layers: policy, seccomp, capabilities, ids
try {
  const { setuid, getuid } = require('process');
  setuid(getuid());
  won('setuid is allowed');
} catch (e) { held(e); }
