// technique: drop a program where one can write, and start it
// family: C4
// severity: C
// layers: policy, seccomp, noexec, landlock
try {
  require('fs').writeFileSync('dropped', '#!/bin/sh\nexit 7\n', { mode: 0o755 });
  const r = require('child_process').spawnSync('./dropped');
  if (r.status === 7) won("the dropped program's exit status 7"); else held(r.error);
} catch (e) { held(e); }
