// technique: an emitter of the program's own, and the ordinary uses of process
// family: innocents
// innocent: yes
const { EventEmitter } = require('node:events');
class Store extends EventEmitter {
  constructor() { super(); this.items = new Map(); }
  set(key, value) { this.items.set(key, value); return this.emit('set', key, value); }
}
const found = [];
const store = new Store();
store.on('set', function (key, value) { found.push(this === store, key, value); });
store.prependOnceListener('set', () => found.push('first'));
store.set('open', 1);
process.on('exit', (code) => {
  found.push(code, typeof process.memoryUsage().heapUsed, process.uptime() > 0);
  (JSON.stringify(found) === '["first",true,"open",1,"tick",0,"number",true]' ? won : held)(found);
});
process.nextTick((word) => found.push(word), 'tick');
