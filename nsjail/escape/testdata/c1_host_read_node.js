// technique: read a world-readable file of the host by fs
// family: C1
// severity: C
// layers: policy, mount_namespace, landlock
try {
  won(require('fs').readFileSync('@READABLE@', 'utf8'));
} catch (e) { held(e); }
