import { setTimeout as sleep, setImmediate as soon, setInterval as every } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';

const begin = performance.now();
console.log(await sleep(2, 'value'), await soon('soon'));
let n = 0;
for await (const v of every(1, 'tick')) { console.log(v); if (++n === 2) break; }
console.log(performance.now() - begin >= 2);
const controller = new AbortController();
const p = sleep(10000, null, { signal: controller.signal });
controller.abort();
console.log(await p.catch((e) => e.name));
const backoff = async (f, { tries = 4, base = 1 } = {}) => { for (let i = 0; ; i++) { try { return await f(i); } catch (e) { if (i + 1 === tries) throw e; await sleep(base * 2 ** i); } } };
console.log(await backoff(async (i) => { if (i < 2) throw new Error('flaky'); return `ok after ${i}`; }));
