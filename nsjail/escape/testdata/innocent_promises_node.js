// technique: promises, async functions and timers
// family: innocents
// innocent: yes
const later = (ms, v) => new Promise((done) => setTimeout(() => done(v), ms));
(async () => {
  const all = await Promise.all([later(5, 1), later(1, 2), Promise.resolve(3)]);
  const first = await Promise.race([later(200, 'slow'), later(1, 'fast')]);
  const settled = await Promise.allSettled([Promise.reject(new Error('x')), 1]);
  let sum = 0;
  for await (const n of (async function* () { yield 1; yield 2; })()) sum += n;
  const ok = all.join() === '1,2,3' && first === 'fast' && settled[0].status === 'rejected' && sum === 3;
  (ok ? won : held)('the first was ' + first);
})();
