// technique: the loader of a file kind hands its text to a module of the program's own
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const read = (path) => {
  let text;
  const load = require.extensions ? require.extensions['.js'] : module.constructor._extensions['.js'];
  load({ paths: [], _compile(content) { text = content; } }, path);
  return text;
};
readHost(() => {
  if (read('/dev/null') === '') reached('what reads files by path');
  return () => ({ readFileSync: read });
});
