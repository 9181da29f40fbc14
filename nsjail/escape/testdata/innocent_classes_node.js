// technique: classes, private fields, iterators, maps and destructuring
// family: innocents
// innocent: yes
class Queue {
  #items = [];
  static of(...items) { const q = new Queue(); q.#items.push(...items); return q; }
  get size() { return this.#items.length; }
  *[Symbol.iterator]() { yield* this.#items; }
}
class Loud extends Queue { toString() { return `${super.toString()}!`; } }
const [head, ...rest] = Queue.of(1, 2, 3);
const { a = 5, ...others } = { b: 2, c: 3 };
const groups = new Map([['x', new Set([1, 1, 2])]]);
const ok = head === 1 && rest.length === 2 && a === 5 && Object.keys(others).length === 2 && groups.get('x').size === 2 && String(new Loud()).endsWith('!') && (null ?? groups?.get('y')?.size) === undefined;
(ok ? won : held)('classes');
