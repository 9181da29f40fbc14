const counter = (start = 0, step = 1) => {
  let value = start;
  return { next: () => (value += step), reset: () => { value = start; }, get value() { return value; } };
};
const memoize = (f) => {
  const cache = new Map();
  return (...args) => {
    const key = JSON.stringify(args);
    if (!cache.has(key)) cache.set(key, f(...args));
    return cache.get(key);
  };
};
const compose = (...fs) => (x) => fs.reduceRight((v, f) => f(v), x);
const curry = (f) => function curried(...args) { return args.length >= f.length ? f.apply(this, args) : (...more) => curried.apply(this, [...args, ...more]); };
const debounce = (f, ms) => { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => f(...a), ms); }; };
const once = (f) => { let done = false, r; return (...a) => (done ? r : ((done = true), (r = f(...a)))); };

const c = counter(10, 5);
c.next(); c.next();
console.log(c.value, (c.reset(), c.value), compose((x) => x + 1, Math.abs, Number)('-41'), curry((a, b, d) => a + b + d)(1)(2, 3));
const fib = memoize((n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)));
console.log(fib(80), once(() => 5)(), [..."hello"].map((ch, i, all) => (all.indexOf(ch) === i ? ch : ch.toUpperCase())).join(''));
const log = debounce((m) => console.log('debounced', m), 2);
log(1); log(2); log(3);
var fs = [];
for (var i = 0; i < 3; i++) fs.push(() => i);
const gs = [];
for (let j = 0; j < 3; j++) gs.push(() => j);
console.log(fs.map((f) => f()), gs.map((f) => f()), typeof hoisted, hoisted(), (function () { return typeof this; })(), (() => typeof this)());
function hoisted() { return arguments.length; }
console.log(function named() {}.name, ((a, b = 1, ...r) => 0).length, (function () { return [...arguments]; })(1, 2), hoisted.call(null, 1), hoisted.apply(null, [1, 2]), hoisted.bind(null, 1)(2));
label: for (const a of [1, 2, 3]) { for (const b of [1, 2]) { if (a * b === 4) { console.log('found', a, b); break label; } } }
try { tdz; let tdz = 1; } catch (e) { console.log(e.name); }
