// technique: read a file of the host through Node's internal binding
// family: C1
// severity: C
// layers: policy, mount_namespace, landlock
try {
  const { internalModuleReadJSON, readFileUtf8 } = require('process').binding('fs');
  const text = internalModuleReadJSON ? internalModuleReadJSON('@READABLE@')[0] : readFileUtf8('@READABLE@', 0);
  if (text === '@CANARY@') won(text); else held(`read ${text}`);
} catch (e) { held(e); }
