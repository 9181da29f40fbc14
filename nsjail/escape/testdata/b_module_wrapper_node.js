// technique: the text around every module is changed
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => {
  const made = new module.constructor('/x.js');
  module.constructor.wrapper[0] = '(function (exports, require, module) { module.exports = require; return;';
  made._compile('', '/x.js');
  reached('code from a string');
  return made.exports;
});
