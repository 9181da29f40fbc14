// A small Lisp, as models like to write.
const tokenize = (text) => text.replace(/[()]/g, ' $& ').trim().split(/\s+/);
function read(tokens) {
  const token = tokens.shift();
  if (token === undefined) throw new SyntaxError('unexpected end');
  if (token === '(') {
    const list = [];
    while (tokens[0] !== ')') list.push(read(tokens));
    tokens.shift();
    return list;
  }
  if (token === ')') throw new SyntaxError('unexpected )');
  return Number.isNaN(Number(token)) ? Symbol.for(token) : Number(token);
}
class Env extends Map {
  constructor(entries, outer) { super(entries); this.outer = outer; }
  find(name) {
    if (this.has(name)) return this;
    if (!this.outer) throw new ReferenceError(`unbound ${name.description}`);
    return this.outer.find(name);
  }
}
const global = new Env(Object.entries({
  '+': (...xs) => xs.reduce((a, b) => a + b), '*': (...xs) => xs.reduce((a, b) => a * b), '-': (a, b) => a - b,
  '<': (a, b) => a < b, '=': (a, b) => a === b, list: (...xs) => xs, car: ([x]) => x, cdr: ([, ...xs]) => xs, 'null?': (xs) => xs.length === 0,
}).map(([k, v]) => [Symbol.for(k), v]));
function evaluate(x, env = global) {
  for (;;) {
    if (typeof x === 'symbol') return env.find(x).get(x);
    if (!Array.isArray(x)) return x;
    const [head, ...rest] = x;
    switch (typeof head === 'symbol' ? head.description : '') {
      case 'quote': return rest[0];
      case 'if': x = evaluate(rest[0], env) ? rest[1] : rest[2]; continue;
      case 'define': env.set(rest[0], evaluate(rest[1], env)); return undefined;
      case 'lambda': return Object.assign((...args) => evaluate(rest[1], new Env(rest[0].map((p, i) => [p, args[i]]), env)), { params: rest[0], body: rest[1], env });
      default: {
        const [f, ...args] = x.map((e) => evaluate(e, env));
        if (!f.body) return f(...args);
        x = f.body;
        env = new Env(f.params.map((p, i) => [p, args[i]]), f.env);
      }
    }
  }
}
const run = (text) => evaluate(read(tokenize(text)));
run('(define fact (lambda (n) (if (< n 2) 1 (* n (fact (- n 1))))))');
run('(define count (lambda (n acc) (if (= n 0) acc (count (- n 1) (+ acc 1)))))');
run('(define map (lambda (f xs) (if (null? xs) (quote ()) (cons2 (f (car xs)) (map f (cdr xs))))))');
global.set(Symbol.for('cons2'), (x, xs) => [x, ...xs]);
console.log(run('(fact 10)'), run('(count 20000 0)'), run('(map (lambda (x) (* x x)) (list 1 2 3))'), run('((lambda (x y) (+ x y)) 3 4)'));
for (const bad of ['(+ 1', ')', '(nope 1)']) try { run(bad); } catch (e) { console.log(`${e}`); }
