const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

async function retry(f, times) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await f(attempt);
    } catch (e) {
      console.log(`attempt ${attempt}: ${e.message}`);
      if (attempt >= times) throw e;
      await sleep(1);
    }
  }
}

async function* ticker(n) {
  for (let i = 0; i < n; i++) {
    await sleep(1);
    yield i;
  }
}

async function pool(limit, tasks) {
  const results = [], running = new Set();
  for (const [i, task] of tasks.entries()) {
    const p = task().then((v) => { results[i] = v; running.delete(p); });
    running.add(p);
    if (running.size >= limit) await Promise.race(running);
  }
  await Promise.all(running);
  return results;
}

(async () => {
  console.log(await Promise.all([sleep(200, 'a'), sleep(1, 'b'), 'c']));
  console.log(await Promise.race([sleep(500, 'slow'), sleep(1, 'fast')]), await Promise.any([Promise.reject(1), sleep(1, 'any')]));
  console.log(await Promise.allSettled([sleep(1, 1), Promise.reject(new Error('no'))]).then((rs) => rs.map((r) => r.status)));
  console.log(await retry(async (n) => { if (n < 3) throw new Error('not yet'); return `done on ${n}`; }, 5));
  for await (const t of ticker(3)) console.log('tick', t);
  console.log(await pool(2, [5, 1, 3].map((n) => () => sleep(n, n * n))));
  try {
    await Promise.any([Promise.reject(new Error('x')), Promise.reject(new Error('y'))]);
  } catch (e) {
    console.log(e.constructor.name, e.errors.map((x) => x.message));
  }
  try { await retry(async () => { throw new TypeError('always'); }, 2); } catch (e) { console.log('gave up:', `${e}`); } finally { console.log('finally'); }
})();
setTimeout(() => console.log('timeout 0'), 0);
setImmediate(() => {});
queueMicrotask(() => console.log('microtask'));
Promise.resolve().then(() => console.log('then'));
process.nextTick(() => console.log('tick first'));
console.log('sync');
