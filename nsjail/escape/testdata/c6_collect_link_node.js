// technique: a link to a file of the host, which a collector opens
// family: C6
// severity: C
// layers: policy, mount_namespace, collector
// collect: yes
const fs = require('fs');
fs.symlinkSync('@READABLE@', 'result.txt');
held('left a link for the collector');
