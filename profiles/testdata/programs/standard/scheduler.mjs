import { EventEmitter, on } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

class Scheduler extends EventEmitter {
  #tasks = new Map(); #done = new Map();
  task(name, dependencies, run) { this.#tasks.set(name, { dependencies, run }); return this; }
  async #run(name, trail = []) {
    if (trail.includes(name)) throw new Error(`cycle through ${name}`);
    if (!this.#done.has(name)) {
      const { dependencies, run } = this.#tasks.get(name);
      this.#done.set(name, (async () => { const inputs = await Promise.all(dependencies.map((d) => this.#run(d, [...trail, name]))); this.emit('start', name); const r = await run(...inputs); this.emit('end', name); return r; })());
    }
    return this.#done.get(name);
  }
  run(name) { return this.#run(name); }
}
const s = new Scheduler().task('fetch', [], () => sleep(2, [3, 1, 2])).task('sort', ['fetch'], (xs) => [...xs].sort()).task('sum', ['fetch'], (xs) => xs.reduce((a, b) => a + b)).task('report', ['sort', 'sum'], (sorted, sum) => ({ sorted, sum }));
const events = [];
s.on('start', (n) => events.push(n));
console.log(await s.run('report'), events[0], events.at(-1), inspect(s.listenerCount('start')));
await new Scheduler().task('x', ['x'], () => 1).run('x').catch((e) => console.log(e.message));
const source = new EventEmitter(), abort = new AbortController();
(async () => { for (let i = 0; i < 3; i++) { await sleep(1); source.emit('data', i); } abort.abort(); })();
try { for await (const [i] of on(source, 'data', { signal: abort.signal })) console.log('data', i); } catch (e) { console.log(e.name); }
