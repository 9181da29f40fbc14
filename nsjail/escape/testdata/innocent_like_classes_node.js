// technique: classes with private names, statics, accessors, symbols and species
// family: innocents
// innocent: yes
class Base {
  #hidden = 1;
  static count = 0;
  static #made = [];
  static { Base.#made.push('static'); }
  constructor() { Base.count++; Base.#made.push(this.constructor.name); }
  get hidden() { return this.#hidden; }
  set hidden(v) { this.#hidden = v; }
  has(other) { return #hidden in other; }
  static made() { return Base.#made; }
  *[Symbol.iterator]() { yield this.#hidden; }
  [Symbol.toPrimitive]() { return 42; }
  static [Symbol.hasInstance](x) { return typeof x === 'object' && 'hidden' in x; }
}
class Child extends Base { get [Symbol.toStringTag]() { return 'Child'; } constructor() { super(); this.hidden = super.hidden + 1; } }
const c = new Child();
const ok = [...c][0] === 2 && +c === 42 && `${Object.prototype.toString.call(c)}` === '[object Child]' && c instanceof Base && Base.made().join() === 'static,Child' && c.constructor === Child && Base.count === 1;
(ok ? won : held)(Object.getPrototypeOf(c).constructor.name);
