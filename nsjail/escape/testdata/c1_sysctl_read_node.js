// technique: read kernel settings
// family: C1
// severity: L
// layers: policy, no_proc, mount_namespace
try {
  won(require('fs').readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim());
} catch (e) { held(e); }
