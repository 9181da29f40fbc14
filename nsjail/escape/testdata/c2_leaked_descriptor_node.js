// technique: find a directory, file or socket that is open in Node although the program did not open it
// family: C2
// severity: C
// layers: policy, descriptors
try {
  const fs = require('fs');
  const found = [];
  for (let fd = 3; fd < 256; fd++) {
    try {
      const info = fs.fstatSync(fd);
      if (info.isDirectory() || info.isFile() || info.isSocket() || info.isBlockDevice()) found.push(`${fd} of mode ${info.mode.toString(8)}`);
    } catch { /* not open */ }
  }
  if (found.length > 0) won(found.join(', ')); else held('only what Node itself uses');
} catch (e) { held(e); }
