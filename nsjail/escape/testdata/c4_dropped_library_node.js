// technique: load a library from where one can write
// family: C4
// severity: H
// layers: policy, noexec, landlock
try {
  const fs = require('fs');
  const library = ['/usr/lib/x86_64-linux-gnu/libm.so.6', '/lib/x86_64-linux-gnu/libm.so.6', '/lib64/libm.so.6'].find((p) => fs.existsSync(p));
  fs.copyFileSync(library, 'copy.node');
  process.dlopen({ exports: {} }, require('path').resolve('copy.node'));
} catch (e) {
  // A library that is no addon is loaded, and then complained about.
  if (/self-register/.test(e.message)) won('it was loaded: ' + e.message); else held(e);
}
