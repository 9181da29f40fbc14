const Coin = Object.freeze({ NICKEL: 5, DIME: 10, QUARTER: 25 });
const State = Object.freeze({ IDLE: Symbol('idle'), PAID: Symbol('paid'), SOLD: Symbol('sold') });
function change(amount, coins = Object.values(Coin).sort((a, b) => b - a)) {
  const best = [[]];
  for (let a = 1; a <= amount; a++) {
    for (const c of coins) {
      const rest = best[a - c];
      if (rest && (!best[a] || rest.length + 1 < best[a].length)) best[a] = [...rest, c];
    }
  }
  return best[amount] ?? null;
}
const machine = (price) => {
  let state = State.IDLE, paid = 0;
  const log = [];
  const moves = {
    [State.IDLE]: { insert(c) { paid += c; if (paid >= price) state = State.PAID; } },
    [State.PAID]: { insert(c) { paid += c; }, vend() { const back = change(paid - price); paid = 0; state = State.SOLD; return back; } },
    [State.SOLD]: { take() { state = State.IDLE; return 'enjoy'; } },
  };
  return new Proxy({}, { get: (_, action) => (...args) => { const move = moves[state][action]; log.push(`${state.description}.${String(action)}`); return move ? move(...args) : `cannot ${String(action)} while ${state.description}`; }, has: () => true, ownKeys: () => [...new Set(log)] });
};
const m = machine(60);
console.log(m.vend(), m.insert(Coin.QUARTER), m.insert(Coin.QUARTER), m.insert(Coin.QUARTER), m.vend(), m.take(), Reflect.ownKeys(m).length);
console.log(change(30), change(3), change(0), Object.entries(Coin).map(([k, v]) => `${k}=${v}`).join(), 'anything' in m);
const knapsack = (items, room) => items.reduce((row, [w, v]) => row.map((best, r) => (r >= w ? Math.max(best, row[r - w] + v) : best)), Array(room + 1).fill(0)).at(-1);
console.log(knapsack([[9, 150], [13, 35], [50, 160], [15, 60]], 60), [...Array(5)].map((_, n) => [...Array(n + 1)].reduce((r, _, k) => [...r, k ? (r[k - 1] * (n - k + 1)) / k : 1], [])));
