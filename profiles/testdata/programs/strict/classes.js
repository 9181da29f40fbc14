class Account {
  #balance = 0;
  static #count = 0;
  static { Account.kind = 'account'; }
  history = [];

  constructor(owner, balance = 0) {
    this.owner = owner;
    this.#balance = balance;
    Account.#count++;
  }

  get balance() { return this.#balance; }

  set balance(value) {
    if (value < 0) throw new RangeError(`insufficient funds: ${this.#balance}`);
    this.history.push([this.#balance, value]);
    this.#balance = value;
  }

  deposit(amount) {
    if (!(amount > 0)) throw new TypeError('amount must be positive');
    this.balance += amount;
    return this;
  }

  static get count() { return Account.#count; }
  static isAccount(o) { return #balance in o; }
  toString() { return `${this.constructor.name}(${this.owner}: ${this.balance.toFixed(2)})`; }
  [Symbol.toPrimitive](hint) { return hint === 'number' ? this.#balance : this.toString(); }
  *[Symbol.iterator]() { yield* this.history; }
}

class Savings extends Account {
  rate = 0.05;
  accrue() { return super.deposit(this.balance * this.rate); }
  get [Symbol.toStringTag]() { return 'Savings'; }
}

const a = new Account('Ann', 10), s = new Savings('Bob', 200);
a.deposit(90).balance -= 30;
s.accrue();
console.log(`${a}`, String(s), +a + 1, [...a], Account.count, Account.kind);
console.log(Account.isAccount(s), Account.isAccount({}), Object.prototype.toString.call(s), s instanceof Account, Object.getPrototypeOf(s) === Savings.prototype);
for (const f of [() => { a.balance = -1; }, () => a.deposit(0), () => Account()]) {
  try { f(); } catch (e) { console.log(e.name, '-', e.message); }
}
console.log(s, Object.keys(s), JSON.stringify(a), 'balance' in a, a.hasOwnProperty('owner'));
const mixin = (Base) => class extends Base { greet() { return `hi ${this.owner}`; } };
console.log(new (mixin(Savings))('Cy').greet(), typeof Account, Account.name, Account.length);
