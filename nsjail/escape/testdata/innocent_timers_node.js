// technique: intervals, immediates and microtasks, in order
// family: innocents
// innocent: yes
const order = [];
setImmediate(() => order.push('immediate'));
queueMicrotask(() => order.push('microtask'));
let ticks = 0;
const timer = setInterval(() => {
  if (++ticks < 3) return;
  clearInterval(timer);
  (order[0] === 'microtask' && order.includes('immediate') ? won : held)(order.join(', '));
}, 2);
