// technique: signal the parent from Node
// family: C2
// severity: C
// layers: policy, ids, landlock
try {
  const { kill, ppid } = require('process');
  kill(ppid, 0);
  won(`pid ${ppid} would take a signal`);
} catch (e) { held(e); }
