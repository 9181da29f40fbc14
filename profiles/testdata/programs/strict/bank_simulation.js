'use strict';
const assert = require('node:assert');

class Ledger {
  #entries = [];
  transfer(from, to, cents) {
    assert(Number.isInteger(cents) && cents > 0, 'amount must be positive cents');
    this.#entries.push(Object.freeze({ from, to, cents, id: this.#entries.length + 1 }));
    return this;
  }
  balances() {
    const totals = new Map();
    for (const { from, to, cents } of this.#entries) {
      totals.set(from, (totals.get(from) ?? 0) - cents).set(to, (totals.get(to) ?? 0) + cents);
    }
    return totals;
  }
  settle() {
    const sides = [...this.balances()].filter(([, b]) => b !== 0);
    const debtors = sides.filter(([, b]) => b < 0).map(([n, b]) => ({ n, b: -b })), creditors = sides.filter(([, b]) => b > 0).map(([n, b]) => ({ n, b }));
    const moves = [];
    while (debtors.length && creditors.length) {
      const amount = Math.min(debtors[0].b, creditors[0].b);
      moves.push(`${debtors[0].n}->${creditors[0].n}:${amount}`);
      for (const side of [debtors, creditors]) if ((side[0].b -= amount) === 0) side.shift();
    }
    return moves;
  }
  get size() { return this.#entries.length; }
}
const ledger = new Ledger().transfer('ann', 'bob', 500).transfer('bob', 'cy', 700).transfer('cy', 'ann', 100);
console.log(ledger.balances(), ledger.settle(), ledger.size);
try { ledger.transfer('x', 'y', -1); } catch (e) { console.log(e instanceof assert.AssertionError, e.message); }
const money = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' });
console.log([...ledger.balances()].map(([n, c]) => `${n}: ${money.format(c / 100)}`).join('; '));
