import { Readable, Transform, Writable, PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const lines = () => new Transform({
  readableObjectMode: true,
  construct(done) { this.rest = ''; done(); },
  transform(chunk, _, done) { const parts = (this.rest + chunk).split('\n'); this.rest = parts.pop(); parts.forEach((p) => this.push(p)); done(); },
  flush(done) { if (this.rest) this.push(this.rest); done(); },
});
const upper = new Transform({ objectMode: true, transform: (line, _, done) => done(null, line.toUpperCase()) });
const out = [];
await pipeline(Readable.from(['ab\nc', 'd\ne', 'f']), lines(), upper, new Writable({ objectMode: true, write(x, _, done) { out.push(x); done(); } }));
console.log(out);
console.log(await Readable.from([1, 2, 3, 4]).filter((x) => x % 2).map((x) => x * x).toArray());
const pass = new PassThrough();
pass.end('hello');
let text = '';
for await (const chunk of pass) text += chunk;
console.log(text);
try { await pipeline(Readable.from(['x']), async function* (source) { for await (const s of source) { throw new Error(`bad ${s}`); yield s; } }, new PassThrough()); } catch (e) { console.log(e.message); }
async function* batches(source, n) { let batch = []; for await (const x of source) { batch.push(x); if (batch.length === n) { yield batch; batch = []; } } if (batch.length) yield batch; }
for await (const b of batches(Readable.from('abcdefg'.split('')), 3)) console.log(b.join(''));
