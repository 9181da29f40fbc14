// technique: find more in /dev than null, zero and random
// family: C1
// severity: H
// layers: policy, mount_namespace, landlock
try {
  const more = require('fs').readdirSync('/dev').filter((name) => !['null', 'zero', 'random', 'urandom'].includes(name));
  if (more.length > 0) won(more.slice(0, 9).join(' ')); else held('four devices only');
} catch (e) { held(e); }
