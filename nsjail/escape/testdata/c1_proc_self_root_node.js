// technique: reach the host's root through /proc by fs
// family: C1
// severity: C
// layers: policy, no_proc, mount_namespace, landlock
try {
  won(require('fs').readFileSync('/proc/self/root@READABLE@', 'utf8'));
} catch (e) { held(e); }
