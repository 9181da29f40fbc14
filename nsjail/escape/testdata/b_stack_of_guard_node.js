// technique: the functions in the stack of the guard's own error
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  let sites = [];
  try { require({}); } catch (e) { sites = e.stack; } finally { Error.prepareStackTrace = prepareStackTrace; }
  for (const site of sites) {
    for (const one of [site.getThis?.(), site.getFunction?.()]) {
      if (one && one.require) return (name) => one.require(name);
      if (one && one.mainModule) return loaderOf(one);
      const given = one && one.arguments;
      for (const a of given ? Array.from(given) : []) if (typeof a === 'function' && a.resolve) return a;
    }
  }
  return module.require.bind(module);
});
