const zlib = require('zlib');
const { promisify } = require('util');
const text = 'the quick brown fox '.repeat(50);
const packed = zlib.gzipSync(text, { level: 9 });
console.log(packed.length < text.length / 5, zlib.gunzipSync(packed).toString() === text, zlib.inflateSync(zlib.deflateSync(Buffer.from('abc'))).toString(), zlib.brotliDecompressSync(zlib.brotliCompressSync('xyz')).toString());
try { zlib.gunzipSync(Buffer.from('nonsense')); } catch (e) { console.log(e.code); }
(async () => {
  const deflated = await promisify(zlib.deflate)('async text');
  console.log((await promisify(zlib.inflate)(deflated)).toString(), zlib.constants.Z_BEST_SPEED);
})();
const rle = (s) => s.replace(/(.)\1*/g, (m, c) => m.length + c);
const unrle = (s) => s.replace(/(\d+)(.)/g, (_, n, c) => c.repeat(n));
function huffman(s) {
  let nodes = Object.entries([...s].reduce((m, c) => ({ ...m, [c]: (m[c] ?? 0) + 1 }), {})).map(([c, w]) => ({ c, w }));
  while (nodes.length > 1) { nodes.sort((a, b) => a.w - b.w || (a.c ?? '~').localeCompare(b.c ?? '~')); const [l, r, ...rest] = nodes; nodes = [...rest, { l, r, w: l.w + r.w }]; }
  const codes = {};
  (function walk(node, prefix) { if (node.c) codes[node.c] = prefix || '0'; else { walk(node.l, `${prefix}0`); walk(node.r, `${prefix}1`); } })(nodes[0], '');
  return codes;
}
const codes = huffman('abracadabra');
console.log(rle('aaabccd'), unrle(rle('aaabccd')), [...'abracadabra'].map((c) => codes[c]).join('').length, Object.keys(codes).sort().join(''));
