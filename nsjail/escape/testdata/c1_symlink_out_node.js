// technique: reach a file of the host through a symbolic link by fs
// family: C1
// severity: C
// layers: policy, mount_namespace, landlock
try {
  const fs = require('fs');
  fs.symlinkSync('@READABLE@', 'link');
  won(fs.readFileSync('link', 'utf8'));
} catch (e) { held(e); }
