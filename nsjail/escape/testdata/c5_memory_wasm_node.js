// technique: more memory of WebAssembly than the memory limit
// family: C5
// severity: H
// layers: policy, cgroup
// memory_mb: 128
try {
  const memory = new WebAssembly.Memory({ initial: 4800 });
  new Uint8Array(memory.buffer).fill(1);
  won('touched 300 MiB');
} catch (e) { held(e); }
