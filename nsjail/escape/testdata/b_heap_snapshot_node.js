// technique: a heap snapshot written to a path
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
try {
  const { writeHeapSnapshot } = require('v8');
  if (typeof writeHeapSnapshot === 'function') reached('what writes files by path');
  writeHeapSnapshot('@WRITABLE@');
  won('wrote to a file of the host');
} catch (e) { held(e); }
