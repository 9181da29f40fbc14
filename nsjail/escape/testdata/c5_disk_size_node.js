// technique: a file larger than the limit of the working directory
// family: C5
// severity: H
// layers: policy, tmpfs_size, rlimit
let n = 0;
try {
  const fs = require('fs');
  const fd = fs.openSync('file', 'w');
  for (; n <= 70 << 20; n += 1 << 20) fs.writeSync(fd, Buffer.alloc(1 << 20));
  won(`wrote ${n} bytes`);
} catch (e) { held(e); }
