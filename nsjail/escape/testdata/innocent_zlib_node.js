// technique: compress beside the main thread, and streams
// family: innocents
// innocent: yes
// policy: relaxed
const zlib = require('zlib');
const { Readable, Transform } = require('stream');
const { pipeline } = require('stream/promises');
(async () => {
  const data = Buffer.from('abc'.repeat(100000));
  const packed = await new Promise((done, fail) => zlib.gzip(data, (e, b) => (e ? fail(e) : done(b))));
  let size = 0;
  await pipeline(Readable.from([packed]), zlib.createGunzip(), new Transform({ transform(chunk, _, next) { size += chunk.length; next(); } }).resume());
  (size === data.length && zlib.brotliDecompressSync(zlib.brotliCompressSync(data)).equals(data) ? won : held)(`${packed.length} bytes packed`);
})();
