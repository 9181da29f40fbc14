// technique: a flag of the engine brings functions that only its tests have
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
try {
  require('v8').setFlagsFromString('--expose-gc');
  reached('the flags of the engine');
  const gc = require('vm').runInNewContext('gc');
  if (typeof gc !== 'function') throw new Error('no such function');
  readHost(() => loaderOf(process));
} catch (e) { held(e); }
