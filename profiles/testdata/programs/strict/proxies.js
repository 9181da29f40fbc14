const validator = (rules) => ({
  set(target, name, value) {
    if (rules[name] && !rules[name](value)) throw new TypeError(`bad ${String(name)}: ${value}`);
    return Reflect.set(target, name, value);
  },
  get: (target, name, receiver) => (name in target ? Reflect.get(target, name, receiver) : `no ${String(name)}`),
  has: (target, name) => !name.startsWith('_') && name in target,
  deleteProperty(target, name) { console.log('delete', name); return delete target[name]; },
  ownKeys: (target) => Reflect.ownKeys(target).filter((k) => !String(k).startsWith('_')),
});
const person = new Proxy({ _id: 7, name: 'Ann' }, validator({ age: (v) => Number.isInteger(v) && v >= 0 }));
person.age = 30;
try { person.age = -1; } catch (e) { console.log(e.message); }
console.log(person.age, person.missing, '_id' in person, 'name' in person, Object.keys(person), JSON.stringify(person), delete person.age, person.age);
const traced = [];
const traceAll = (f) => new Proxy(f, { apply(t, self, args) { traced.push([t.name, ...args]); return Reflect.apply(t, self, args); } });
const add = traceAll(function add(a, b) { return a + b; });
console.log(add(1, 2), add(3, 4), traced);
const negative = new Proxy([1, 2, 3], { get: (t, k, r) => Reflect.get(t, /^-\d+$/.test(String(k)) ? t.length + Number(k) : k, r) });
console.log(negative[-1], negative.length, negative.map((x) => x * 2));
const o = Object.freeze({ a: 1, nested: { b: 2 } });
o.a = 5;
o.nested.b = 3;
console.log(o, Object.isFrozen(o), Object.entries(Object.getOwnPropertyDescriptors({ get x() { return 1; }, y: 2 })).map(([k, d]) => [k, typeof d.get, d.writable]));
const sealed = Object.seal({ q: 1 });
sealed.q = 2;
delete sealed.q;
console.log(sealed, Object.defineProperty({}, 'hidden', { value: 1 }).hidden, Object.assign(Object.create({ inherited: 1 }), { own: 2 }), Reflect.has({ x: 1 }, 'x'), Reflect.ownKeys({ b: 1, a: 2, 1: 3 }));
const revocable = Proxy.revocable({}, {});
revocable.revoke();
try { revocable.proxy.x; } catch (e) { console.log(e.constructor.name); }
const tagged = { valueOf: () => 42, toString: () => 'text' };
console.log(tagged + 1, `${tagged}`, tagged > 41, [tagged] + '', { ...[1, 2] }, { a: 1, ...null, ...{ a: 2 } });
