// technique: proxies, reflection and descriptors of the program's own objects
// family: innocents
// innocent: yes
const log = [];
const watched = new Proxy({ a: 1 }, {
  get(target, key, receiver) { log.push(`get ${String(key)}`); return Reflect.get(target, key, receiver); },
  set(target, key, value) { log.push(`set ${key}`); return Reflect.set(target, key, value); },
  has: (target, key) => key.startsWith('a'),
});
watched.b = watched.a + 1;
const frozen = Object.freeze(Object.defineProperty({ x: 1 }, 'y', { get() { return this.x + 1; }, enumerable: true }));
const keys = Reflect.ownKeys({ [Symbol.for('s')]: 1, z: 2 });
function Old(name) { this.name = name; }
Old.prototype.hello = function () { return `hello ${this.name}`; };
const made = Reflect.construct(Old, ['x']);
const ok = 'abc' in watched && !('b' in watched) && log.join() === 'get a,set b' && frozen.y === 2 && keys.length === 2 && made.hello() === 'hello x' && made.constructor === Old && Object.getPrototypeOf(made) === Old.prototype;
(ok ? won : held)(log.join());
