// technique: find files of another run in /tmp by fs
// family: C1
// severity: H
// layers: policy, mount_namespace
try {
  const found = require('fs').readdirSync('/tmp');
  if (found.length > 0) won(`/tmp holds ${found.length} files`); else held('/tmp is empty');
} catch (e) { held(e); }
