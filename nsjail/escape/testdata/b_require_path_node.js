// technique: require of a file by its path runs it
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
try {
  require('@READABLE@');
  held('the file was a program');
} catch (e) {
  // Its text is the canary, which is no program.
  const ran = ['SyntaxError', 'ReferenceError'].includes(e.name) && e.stack.includes('@READABLE@');
  if (ran) { reached('what loads files by path'); won('ran the file: ' + e.message); } else held(e);
}
