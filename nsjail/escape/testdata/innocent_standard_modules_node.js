// technique: streams, addresses, compression and clocks of the standard level
// family: innocents
// innocent: yes
// policy: standard
const path = require('path');
const zlib = require('node:zlib');
const { pipeline, Transform, Readable } = require('stream');
const timers = require('timers/promises');
const upper = new Transform({ transform(chunk, encoding, done) { done(null, chunk.toString().toUpperCase()); } });
let text = '';
pipeline(Readable.from(['a', 'b']), upper, async function* (source) { for await (const c of source) text += c; }, async (error) => {
  await timers.setTimeout(1);
  const zipped = zlib.gunzipSync(zlib.gzipSync('hello')).toString();
  const ok = !error && text === 'AB' && zipped === 'hello' && path.join('/a', '..', 'b.txt') === '/b.txt' && path.extname('x.js') === '.js' && performance.now() > 0;
  (ok ? won : held)(text);
});
