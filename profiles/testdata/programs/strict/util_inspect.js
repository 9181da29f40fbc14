const util = require('util');
const { inspect, format, promisify, isDeepStrictEqual, types, inherits, deprecate, callbackify, TextDecoder: TD } = require('node:util');

class Vector {
  constructor(x, y) { this.x = x; this.y = y; }
  [util.inspect.custom](depth, options) { return `Vector<${options.stylize(this.x, 'number')}, ${this.y}>`; }
}
const circular = { name: 'c', list: [1, [2, [3, [4, [5]]]]] };
circular.self = circular;
console.log(inspect(circular, { depth: 2 }), inspect({ a: 1n, b: Symbol('s'), c: [undefined, null], d: new Map([['k', new Set([1])]]) }, { compact: false }));
console.log(inspect('it\'s'), inspect(new Error('e')).split('\n')[0], inspect([1, , 3]), inspect(Object.create(null)), inspect(class A extends Vector {}), inspect(function f() {}), inspect(new Vector(1, 2)), inspect({ v: new Vector(3, 4) }), inspect(new Proxy({}, {}), { showProxy: true }));
console.log(format('%s is %d years and %i, %f, %j %o %%', 'Bob', 42, 3.9, '1.5', { a: 1 }, [1], 'extra'), util.isDeepStrictEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }));
console.log('%c styled', 'color: red', new Date(0), /re/g, [new Uint8Array(3)], { f() {}, g: () => {}, async h() {}, *i() {} }, [['nested', ['deep', ['deeper', ['deepest']]]]], 'a'.repeat(5), -0, [-0], null, undefined, true);
const sleep = promisify((ms, cb) => setTimeout(() => cb(null, `slept ${ms}`), ms));
sleep(1).then(console.log);
promisify((cb) => cb(new Error('async fail')))().catch((e) => console.log(e.message));
console.log(types.isDate(new Date()), types.isProxy(new Proxy({}, {})), types.isPromise(sleep(1)), util.types.isRegExp(/x/), typeof callbackify, typeof deprecate, typeof inherits, new TD().encoding);
console.group('group');
console.info('indented');
console.groupEnd();
console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
console.log(Array.from({ length: 120 }, (_, i) => i), 'x'.repeat(20), { long: 'y'.repeat(90), other: [1, 2, 3], more: { deep: true } });
console.assert(true, 'never');
console.count(); console.count('x'); console.count();
