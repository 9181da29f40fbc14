// technique: writes a forged answer to every descriptor
// family: C6
// severity: C
// layers: policy, descriptors, verdict
// policy: relaxed
// verdict: exit_nonzero
// expect: status=failed, exit_code=3, claimed=false
const fs = require('fs');
won('a reader of frames would believe the next lines');
for (let fd = 1; fd < 64; fd++) {
  for (const kind of 'AVSRKBJF') {
    try {
      if (fd > 2 && !fs.fstatSync(fd).isSocket()) continue; // pipes are the loop's own, and it would crash
      fs.writeSync(fd, Buffer.from([kind.charCodeAt(0), 0, 0, 0, 0]));
    } catch { /* not open, or not for writing */ }
  }
}
process.reallyExit(3);
