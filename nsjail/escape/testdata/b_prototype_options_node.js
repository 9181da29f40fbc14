// technique: a polluted prototype becomes an option of the library
// family: B
// severity: H
// layers: policy, seccomp
Object.prototype.shell = '/bin/sh';
startProcess(() => {
  const { spawnSync } = require('child_process');
  return () => ({ spawnSync: () => spawnSync('exit 7') });
});
