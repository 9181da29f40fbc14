import { inspect } from 'node:util';

const gcd = (a, b) => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
export class Fraction {
  static of(text) { const [n, d = '1'] = String(text).split('/'); return new Fraction(BigInt(n), BigInt(d)); }
  constructor(n, d = 1n) {
    if (d === 0n) throw new RangeError('division by zero');
    const g = gcd(n, d) * (d < 0n ? -1n : 1n);
    this.n = n / g;
    this.d = d / g;
    Object.freeze(this);
  }
  plus(o) { return new Fraction(this.n * o.d + o.n * this.d, this.d * o.d); }
  times(o) { return new Fraction(this.n * o.n, this.d * o.d); }
  compare(o) { const x = this.n * o.d - o.n * this.d; return x < 0n ? -1 : x > 0n ? 1 : 0; }
  valueOf() { return Number(this.n) / Number(this.d); }
  toString() { return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`; }
  toJSON() { return `${this}`; }
  [inspect.custom]() { return `Fraction(${this})`; }
}
const f = Fraction.of;
console.log(f('1/3').plus(f('1/6')), `${f('-2/4')}`, f(3).times(f('1/9')), +f('1/4'), f('1/2') > f('1/3'), [f('1/2'), f('1/3'), f('2/3')].sort((a, b) => a.compare(b)).join(' < '));
console.log(JSON.stringify({ half: f('1/2') }), Array.from({ length: 8 }, (_, i) => new Fraction(1n, BigInt(i + 1))).reduce((a, b) => a.plus(b)).toString());
try { f('1/0'); } catch (e) { console.log(e.message); }
try { 'use strict'; f(1).n = 2n; } catch (e) { console.log(e.constructor.name); }
const { default: missing = 'no default', ...names } = { Fraction };
console.log(missing, Object.keys(names), import.meta.url.startsWith('file:'));
