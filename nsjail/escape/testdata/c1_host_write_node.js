// technique: open a file outside /tmp for writing by fs
// family: C1
// severity: C
// layers: policy, mount_namespace, read_only_root, landlock
try {
  const fs = require('fs');
  const errors = [];
  const found = ['@WRITABLE@', process.execPath, '/etc/passwd', '/usr/lib/safe-exec/steady.bpf'].find((path) => {
    try {
      const fd = fs.openSync(path, 'a');
      if (path === '@WRITABLE@') fs.writeSync(fd, 'written'); // nothing but what was planted
      fs.closeSync(fd);
      return true;
    } catch (e) { errors.push(`${path} ${e.code}`); return false; }
  });
  if (found) won(`${found} is open for writing`); else held(errors.join('; '));
} catch (e) { held(e); }
