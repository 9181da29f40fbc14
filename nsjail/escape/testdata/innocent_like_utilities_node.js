// technique: inspection and formatting of the program's own objects
// family: innocents
// innocent: yes
const util = require('util');
const assert = require('assert');
class Point { constructor() { this.x = 1; this.f = () => {}; } [util.inspect.custom](depth, options) { return options.stylize(`P(${this.x})`, 'special'); } }
const deep = { a: { b: { c: { d: 1 } } }, m: new Map([['k', new Set([1])]]), s: Symbol('t'), p: new Point(), e: [undefined, null, -0] };
deep.self = deep;
const text = util.inspect(deep, { depth: 1, breakLength: Infinity });
const wait = util.promisify((x, done) => setTimeout(done, 1, null, x * 2));
assert.deepStrictEqual(new Map([[1, { a: [1] }]]), new Map([[1, { a: [1] }]]));
assert.throws(() => assert.deepEqual({ a: 1 }, { a: 2 }), { name: 'AssertionError' });
wait(4).then((n) => (n === 8 && text.includes('P(1)') && text.includes('[Circular *1]') && util.types.isDate(new Date()) ? won : held)(text));
