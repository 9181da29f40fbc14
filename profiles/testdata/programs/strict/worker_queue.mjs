import { EventEmitter } from 'node:events';
import { strict as assert } from 'node:assert';

class Queue extends EventEmitter {
  #pending = []; #active = 0;
  constructor(concurrency = 2) { super(); this.concurrency = concurrency; }
  add(task, priority = 0) {
    return new Promise((resolve, reject) => {
      this.#pending.push({ task, priority, resolve, reject });
      this.#pending.sort((a, b) => b.priority - a.priority);
      queueMicrotask(() => this.#next());
    });
  }
  async #next() {
    if (this.#active >= this.concurrency || !this.#pending.length) return;
    const { task, resolve, reject } = this.#pending.shift();
    this.#active++;
    try { resolve(await task()); } catch (e) { reject(e); } finally {
      this.#active--;
      this.emit(this.#active || this.#pending.length ? 'done' : 'idle');
      this.#next();
    }
  }
}
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const queue = new Queue(1), order = [];
queue.on('idle', () => order.push('idle'));
const results = await Promise.allSettled([
  queue.add(async () => { await sleep(1); order.push('low'); return 1; }),
  queue.add(async () => { order.push('high'); return 2; }, 5),
  queue.add(async () => { throw new Error('broken'); }, 1),
]);
console.log(order, results.map((r) => r.value ?? r.reason.message));
assert.deepEqual(results[0], { status: 'fulfilled', value: 1 });
await assert.rejects(queue.add(() => Promise.reject(new TypeError('no'))), { name: 'TypeError' });
const cache = new Map();
const dedupe = (key, f) => cache.get(key) ?? (cache.set(key, f().finally(() => cache.delete(key))), cache.get(key));
let calls = 0;
const slow = () => dedupe('k', async () => { calls++; await sleep(1); return calls; });
console.log(await Promise.all([slow(), slow(), slow()]), await slow());
