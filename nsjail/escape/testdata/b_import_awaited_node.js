// technique: dynamic import awaited at the top level of a module
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
// module: yes
export {};
const name = ['f', 's'].join('');
try {
  const fs = await import(name);
  readHost(() => () => fs);
} catch (e) { held('the trick gave nothing: ' + e); }
