// technique: the interactive loop evaluates a text
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
try {
  const { PassThrough } = require('stream');
  const server = require('repl').start({ input: new PassThrough(), output: new PassThrough(), useGlobal: true });
  server.eval('process', globalThis, 'x', (error, found) => {
    if (error) return held(error);
    reached('code from a string');
    readHost(() => loaderOf(found));
    process.exit(0);
  });
} catch (e) { held(e); }
