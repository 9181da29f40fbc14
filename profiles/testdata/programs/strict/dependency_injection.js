const { EventEmitter } = require('events');
class Container {
  #factories = new Map(); #singletons = new Map();
  register(name, factory, { singleton = false } = {}) { this.#factories.set(name, { factory, singleton }); return this; }
  resolve(name, trail = []) {
    if (trail.includes(name)) throw new Error(`cycle: ${[...trail, name].join(' > ')}`);
    if (this.#singletons.has(name)) return this.#singletons.get(name);
    const entry = this.#factories.get(name);
    if (!entry) throw new Error(`nothing named ${name}`);
    const made = entry.factory(new Proxy({}, { get: (_, dependency) => this.resolve(dependency, [...trail, name]) }));
    if (entry.singleton) this.#singletons.set(name, made);
    return made;
  }
}
const container = new Container()
  .register('clock', () => ({ now: () => 1714550400000 }))
  .register('bus', () => new EventEmitter(), { singleton: true })
  .register('log', ({ clock, bus }) => ({ lines: [], write(m) { this.lines.push(`${new Date(clock.now()).toISOString()} ${m}`); bus.emit('line', m); } }), { singleton: true })
  .register('service', ({ log }) => ({ run: (x) => { log.write(`run ${x}`); return x * 2; } }))
  .register('a', ({ b }) => b).register('b', ({ a }) => a);
container.resolve('bus').on('line', (m) => console.log('saw', m));
console.log(container.resolve('service').run(21), container.resolve('log').lines, container.resolve('log') === container.resolve('log'), container.resolve('clock') === container.resolve('clock'));
for (const name of ['a', 'zzz']) try { container.resolve(name); } catch (e) { console.log(e.message); }

const createStore = (reducer, state = reducer(undefined, {})) => { const subs = new Set(); return { getState: () => state, dispatch: (action) => { state = reducer(state, action); subs.forEach((f) => f()); return action; }, subscribe: (f) => { subs.add(f); return () => subs.delete(f); } }; };
const todos = (state = [], { type, text, id }) => ({ add: () => [...state, { id: state.length, text, done: false }], toggle: () => state.map((t) => (t.id === id ? { ...t, done: !t.done } : t)) })[type]?.() ?? state;
const store = createStore(todos), stop = store.subscribe(() => console.log(store.getState().length));
store.dispatch({ type: 'add', text: 'write' });
store.dispatch({ type: 'add', text: 'test' });
stop();
store.dispatch({ type: 'toggle', id: 1 });
console.log(store.getState());
const observable = (subscribe) => ({ subscribe, map: (f) => observable((o) => subscribe((v) => o(f(v)))), filter: (f) => observable((o) => subscribe((v) => f(v) && o(v))) });
observable((o) => [1, 2, 3, 4].forEach((x) => o(x))).filter((x) => x % 2 === 0).map((x) => x * 10).subscribe((v) => console.log('got', v));
