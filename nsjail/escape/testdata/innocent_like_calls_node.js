// technique: call, apply, bind, currying, tagged templates and computed calls
// family: innocents
// innocent: yes
const curry = (f) => function next(...given) { return given.length >= f.length ? f.apply(this, given) : next.bind(this, ...given); };
const tag = (texts, ...values) => texts.raw.map((t, i) => t + (values[i] ?? '')).join('|');
const table = { plus: (a, b) => a + b, ['ti' + 'mes'](a, b) { return a * b; } };
function sum() { return Array.prototype.slice.call(arguments).reduce((a, b) => a + b, 0); }
const found = [curry((a, b, c) => a + b + c)(1)(2)(3), tag`a${1}b\n${2}`, table[['ti', 'mes'].join('')](3, 4), Math.max.apply(null, [1, 3]), sum(1, 2, 3), sum.bind(null, 4)(5), (function () { return this.x; }).call({ x: 8 })];
(JSON.stringify(found) === JSON.stringify([6, 'a1|b\\n2|', 12, 3, 6, 9, 8]) ? won : held)(found);
