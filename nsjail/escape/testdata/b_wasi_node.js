// technique: a WASI program opens a file of the host through its preopened directory
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
try {
  const { WASI } = require('wasi');
  const wasi = new WASI({ version: 'preview1', preopens: { '/d': '@DIR@' } });
  reached('what opens files below a directory');
  // The calls of the interface are made from here; a program would make the same.
  const text = (s) => s.split('').map((c) => c.charCodeAt(0));
  const str = (s) => [s.length, ...text(s)];
  const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 19, 2,
    ...str('memory'), 2, 0, ...str('_start'), 0, 0, 10, 4, 1, 2, 0, 11]);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(empty), {});
  wasi.start(instance);
  const buffer = Buffer.from(instance.exports.memory.buffer);
  buffer.write('readable', 100);
  const opened = wasi.wasiImport.path_open(3, 0, 100, 8, 0, 2n, 0n, 0, 200);
  if (opened !== 0) throw new Error('path_open gave ' + opened);
  buffer.writeUInt32LE(400, 300);
  buffer.writeUInt32LE(200, 304);
  const read = wasi.wasiImport.fd_read(buffer.readUInt32LE(200), 300, 1, 308);
  const n = buffer.readUInt32LE(308);
  if (read === 0 && n > 0) won('read ' + buffer.toString('utf8', 400, 400 + n)); else held('fd_read gave ' + read);
} catch (e) { held(e); }
