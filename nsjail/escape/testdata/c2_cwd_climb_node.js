// technique: climb from the working directory by fs
// family: C2
// severity: C
// layers: policy, mount_namespace
try {
  won(require('fs').readFileSync('../readable', 'utf8'));
} catch (e) { held(e); }
