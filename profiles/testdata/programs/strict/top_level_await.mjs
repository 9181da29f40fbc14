const sleep = (ms, v) => new Promise((r) => setTimeout(r, ms, v));

class RateLimiter {
  #queue = Promise.resolve();
  run(task) { return (this.#queue = this.#queue.then(() => sleep(1)).then(task)); }
}
class AsyncQueue {
  #items = []; #waiting = [];
  push(x) { const w = this.#waiting.shift(); w ? w(x) : this.#items.push(x); }
  pop() { return this.#items.length ? Promise.resolve(this.#items.shift()) : new Promise((r) => this.#waiting.push(r)); }
  async *[Symbol.asyncIterator]() { for (let x; (x = await this.pop()) !== null;) yield x; }
}
const limiter = new RateLimiter(), order = [];
await Promise.all([1, 2, 3].map((n) => limiter.run(() => order.push(n))));
console.log(order);
const queue = new AsyncQueue();
const consumer = (async () => { const got = []; for await (const x of queue) got.push(x); return got; })();
for (const x of ['a', 'b', null]) { await sleep(1); queue.push(x); }
console.log(await consumer);
const controller = new AbortController();
const abortable = new Promise((_, reject) => controller.signal.addEventListener('abort', () => reject(controller.signal.reason)));
setTimeout(() => controller.abort(new Error('stopped')), 1);
console.log(await abortable.catch((e) => e.message), controller.signal.aborted);
const timeout = (p, ms) => Promise.race([p, sleep(ms).then(() => { throw new Error(`timeout of ${ms}`); })]);
console.log(await timeout(sleep(1, 'in time'), 500), await timeout(new Promise(() => {}), 2).catch((e) => `${e}`));
const target = new EventTarget();
target.addEventListener('ping', (e) => console.log('event', e.type, e.detail ?? 'plain'), { once: true });
target.dispatchEvent(new Event('ping'));
target.dispatchEvent(new Event('ping'));
let n = 0;
await new Promise((done) => { const t = setInterval(() => { if (++n === 3) { clearInterval(t); done(); } }, 1); });
console.log('ticks', n, await new Promise((r) => setImmediate(r, 'immediate')));
