// technique: a module compiles a text with a loader of its own
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const made = new module.constructor('/x.js');
  made._compile('module.exports = require', '/x.js');
  reached('code from a string');
  return made.exports;
});
