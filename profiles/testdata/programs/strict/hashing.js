const crypto = require('crypto');
const { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } = crypto;

const sha = (text) => createHash('sha256').update(text).digest('hex');
console.log(sha('abc'), createHash('md5').update('a').update('b').digest('base64'));
console.log(createHmac('sha1', 'key').update('message').digest('hex'), randomBytes(8).length, randomUUID().length);
console.log(timingSafeEqual(Buffer.from('a'), Buffer.from('a')), crypto.getHashes().includes('sha512'));

function merkle(leaves) {
  if (leaves.length === 1) return leaves[0];
  const next = [];
  for (let i = 0; i < leaves.length; i += 2) next.push(sha(leaves[i] + (leaves[i + 1] ?? leaves[i])));
  return merkle(next);
}
console.log(merkle(['a', 'b', 'c'].map(sha)).slice(0, 16));

class Block {
  constructor(index, data, previous) {
    Object.assign(this, { index, data, previous, nonce: 0 });
    while (!this.hash.startsWith('00')) this.nonce++;
  }
  get hash() { return sha(JSON.stringify([this.index, this.data, this.previous, this.nonce])); }
}
const chain = [new Block(0, 'genesis', '')];
for (const data of ['one', 'two']) chain.push(new Block(chain.length, data, chain.at(-1).hash));
console.log(chain.map((b) => b.nonce), chain.every((b, i) => i === 0 || b.previous === chain[i - 1].hash));
chain[1].data = 'forged';
console.log(chain.findIndex((b, i) => i > 0 && b.previous !== chain[i - 1].hash));
console.log(crypto.pbkdf2Sync('pw', 'salt', 10, 16, 'sha256').toString('hex'), crypto.randomInt(1), createHash('sha512').update('').digest().length);
