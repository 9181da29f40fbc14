class LRU {
  #map = new Map();
  constructor(capacity) { this.capacity = capacity; }
  get(key) {
    if (!this.#map.has(key)) return undefined;
    const value = this.#map.get(key);
    this.#map.delete(key);
    this.#map.set(key, value);
    return value;
  }
  set(key, value) {
    this.#map.delete(key);
    this.#map.set(key, value);
    if (this.#map.size > this.capacity) this.#map.delete(this.#map.keys().next().value);
    return this;
  }
  get keys() { return [...this.#map.keys()]; }
}
class Heap {
  items = [];
  constructor(compare = (a, b) => a - b) { this.compare = compare; }
  push(x) {
    const h = this.items;
    let i = h.push(x) - 1;
    while (i && this.compare(h[i], h[(i - 1) >> 1]) < 0) { const p = (i - 1) >> 1; [h[i], h[p]] = [h[p], h[i]]; i = p; }
  }
  pop() {
    const h = this.items, top = h[0], last = h.pop();
    if (h.length) {
      h[0] = last;
      for (let i = 0; ;) {
        const l = 2 * i + 1, r = l + 1;
        let m = i;
        if (l < h.length && this.compare(h[l], h[m]) < 0) m = l;
        if (r < h.length && this.compare(h[r], h[m]) < 0) m = r;
        if (m === i) break;
        [h[i], h[m]] = [h[m], h[i]];
        i = m;
      }
    }
    return top;
  }
}
function dijkstra(graph, start) {
  const distance = { [start]: 0 }, heap = new Heap((a, b) => a[0] - b[0]), done = new Set();
  heap.push([0, start]);
  while (heap.items.length) {
    const [d, node] = heap.pop();
    if (done.has(node)) continue;
    done.add(node);
    for (const [next, w] of Object.entries(graph[node])) if (d + w < (distance[next] ?? Infinity)) heap.push([(distance[next] = d + w), next]);
  }
  return distance;
}
const lru = new LRU(2).set('a', 1).set('b', 2);
lru.get('a');
lru.set('c', 3);
console.log(lru.keys, lru.get('b'));
const heap = new Heap();
[5, 3, 8, 1].forEach((x) => heap.push(x));
console.log([heap.pop(), heap.pop(), heap.pop()], dijkstra({ a: { b: 7, c: 3 }, b: { d: 2 }, c: { b: 1, d: 8 }, d: {} }, 'a'));
const s = new Set([1, 2, 2, 3]), m = new Map([['x', { y: 1 }], [NaN, 'nan']]);
console.log(s, m, m.get(NaN), [...s].filter((x) => x > 1), new Set([...s, 4]).size, [...m.keys()], Object.fromEntries(m));
const weak = new WeakMap(), key = {};
weak.set(key, 'secret');
console.log(weak.get(key), weak.has({}), new WeakSet([key]).has(key), Symbol('d').description, Symbol.for('k') === Symbol.for('k'));
console.log([1, [2, [3, [4]]]].flat(Infinity), [1, 2, 3].flatMap((x) => [x, -x]), Array.from({ length: 3 }, (_, i) => i * i), [3, 1, 2].toSorted?.() ?? 'old', [1, 2, 3].findLast((x) => x < 3), [1, 2, 3, 4].copyWithin(0, 2), [..."abc"].entries().next().value, [5, 1].with?.(0, 9), Array.isArray([]), [1, 2, 3].includes(2), [0, 1].some(Boolean), [].every(Boolean), [1, 2, 3].join('-'), [1, 2, 3, 4, 5].slice(-2), [3, 4].concat(5, [6]), new Array(3).fill().map((_, i) => i), [1, 2, 3].reduceRight((a, b) => a + '-' + b), [, 1].length);
const deep = structuredClone({ a: [new Date(0), new Map([[1, new Set([2])]])], r: /x/g });
console.log(deep, deep.a[1].get(1).has(2), Object.is(-0, 0), [..."mississippi"].reduce((a, c) => a.set(c, (a.get(c) || 0) + 1), new Map()));
