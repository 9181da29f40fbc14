// technique: read a file by an internal binding
// family: B
// severity: C
// layers: policy, mount_namespace, landlock
try {
  const fs = process.binding('fs');
  if (typeof fs.open === 'function') reached('the binding of files');
  won('read ' + (fs.readFileUtf8 ?? fs.internalModuleReadJSON)('@READABLE@', 0));
} catch (e) { held(e); }
