// technique: the guard inspects what is no name, and the program's inspector is called
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  let make;
  const trap = { __proto__: null, [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) { make = inspect.constructor; return 'x'; } };
  try { require(trap); } catch { /* of course */ }
  return loaderOf(fromText(make, 'process'));
});
