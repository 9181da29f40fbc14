const EventEmitter = require('events');
const { once } = require('node:events');

class Store extends EventEmitter {
  #state = {};
  set(key, value) {
    const old = this.#state[key];
    this.#state[key] = value;
    this.emit('change', { key, old, value });
    if (value === undefined) this.emit('remove', key);
    return this;
  }
}

const store = new Store();
store.on('change', ({ key, old, value }) => console.log(`${key}: ${old} -> ${value}`));
store.once('change', () => console.log('only once'));
store.prependListener('change', () => console.log('first'));
const gone = (key) => console.log('removed', key);
store.on('remove', gone);
store.set('a', 1).set('a', 2).set('a', undefined);
store.off('remove', gone);
store.set('b', undefined);
console.log(store.listenerCount('change'), store.eventNames(), store.emit('nobody'));
try {
  store.emit('error', new Error('unhandled'));
} catch (e) {
  console.log('threw', e.message);
}
store.on('error', (e) => console.log('handled', e.message));
store.emit('error', new Error('again'));
(async () => {
  setTimeout(() => store.emit('ready', 1, 2), 1);
  console.log(await once(store, 'ready'));
})();
