// technique: the class of standard input opens files by path
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
const read = (path) => new Promise((resolve, reject) => {
  const stream = new process.stdin.constructor(path);
  let text = '';
  stream.on('data', (data) => { text += data; });
  stream.on('end', () => resolve(text));
  stream.on('error', reject);
});
(async () => {
  try {
    if (await read('/dev/null') === '') reached('what reads files by path');
    won('read ' + await read('@READABLE@'));
  } catch (e) { held(e); }
})();
