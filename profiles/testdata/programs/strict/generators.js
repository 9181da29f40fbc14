function* primes() {
  const composites = new Map();
  for (let n = 2; ; n++) {
    const factors = composites.get(n);
    if (!factors) {
      yield n;
      composites.set(n * n, [n]);
    } else {
      composites.delete(n);
      for (const p of factors) composites.set(p + n, [...(composites.get(p + n) ?? []), p]);
    }
  }
}

function* take(n, it) {
  let i = 0;
  for (const x of it) {
    if (i++ >= n) return;
    yield x;
  }
}
const map = (f) => function* (it) { for (const x of it) yield f(x); };
const filter = (f) => function* (it) { for (const x of it) if (f(x)) yield x; };
const pipe = (x, ...fs) => fs.reduce((v, f) => f(v), x);

console.log([...take(10, primes())], pipe(primes(), filter((p) => p % 4 === 1), map((p) => p * p), (it) => [...take(4, it)]));

function* conversation() {
  try {
    const name = yield 'name?';
    const age = yield `age of ${name}?`;
    return { name, age };
  } catch (e) {
    yield `caught ${e.message}`;
  } finally {
    console.log('cleanup');
  }
}
const c = conversation();
console.log(c.next(), c.next('Ann'), c.next(42), c.next());
const d = conversation();
d.next();
console.log(d.throw(new Error('oops')), d.return('bye'));
const range = { from: 1, to: 4, [Symbol.iterator]() { let n = this.from; return { next: () => n <= this.to ? { value: n++, done: false } : { value: undefined, done: true } }; } };
console.log([...range], Math.max(...range), Array.from(range, (x) => x * 2), new Set(range).size);
const [first, , third = 'none', ...rest] = range;
console.log(first, third, rest, Object.fromEntries(Object.entries({ a: 1, b: 2 }).map(([k, v]) => [k.toUpperCase(), v ** 2])));
function* tree(node) { if (node) { yield* tree(node.l); yield node.v; yield* tree(node.r); } }
console.log([...tree({ v: 2, l: { v: 1 }, r: { v: 4, l: { v: 3 } } })].join());
