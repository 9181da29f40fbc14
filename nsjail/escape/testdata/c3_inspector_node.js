// technique: open the inspector's port
// family: C3
// severity: H
// layers: policy, seccomp, net_namespace
try {
  const inspector = require('inspector');
  inspector.open(0, '127.0.0.1');
  const url = inspector.url();
  if (url) { inspector.close(); won(`listens at ${url.replace(/[^/]*$/, '')}`); } else held('no port');
} catch (e) { held(e); }
