// technique: require with the scheme node:
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => { const fs = require('node:fs'); return () => fs; });
