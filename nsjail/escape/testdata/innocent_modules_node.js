// technique: buffers, events, addresses and utilities
// family: innocents
// innocent: yes
const assert = require('assert');
const { EventEmitter } = require('events');
const { URL } = require('url');
const util = require('util');
const emitter = new EventEmitter();
let heard = 0;
emitter.once('x', (n) => { heard += n; });
emitter.emit('x', 2);
emitter.emit('x', 2);
const url = new URL('https://user@example.org:8080/a/b?c=1#d');
assert.deepStrictEqual([heard, url.port, url.searchParams.get('c')], [2, '8080', '1']);
assert.throws(() => assert.strictEqual(1, 2));
const bytes = Buffer.from('zażółć', 'utf8');
const ok = bytes.toString('base64') === 'emHFvMOzxYLEhw==' && bytes.readUInt16BE(0) === 0x7a61 && util.format('%s is %d', 'x', 3) === 'x is 3' && util.inspect({ a: [1] }) === '{ a: [ 1 ] }';
(ok ? won : held)(url.hostname);
