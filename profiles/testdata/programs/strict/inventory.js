const items = [
  { sku: 'A1', name: 'bolt', qty: 120, price: 0.05, tags: ['metal', 'small'] },
  { sku: 'B2', name: 'panel', qty: 3, price: 12.5, tags: ['wood'] },
  { sku: 'C3', name: 'glue', qty: 0, price: 3.2, tags: [] },
];
const index = new Map(items.map((i) => [i.sku, i]));
const byTag = items.flatMap(({ tags, name }) => tags.map((t) => [t, name])).reduce((m, [t, n]) => m.set(t, [...(m.get(t) || []), n]), new Map());
console.log(index.get('B2').name, byTag, items.filter((i) => !i.qty).map((i) => i.name));
const stock = items.map(({ qty, price, ...rest }) => ({ ...rest, value: +(qty * price).toFixed(2) })).sort((a, b) => b.value - a.value || a.name.localeCompare(b.name));
console.log(stock, stock.reduce((sum, { value }) => sum + value, 0).toFixed(2));
function order(sku, n = 1, { express = false, note: { text = 'none' } = {} } = {}) {
  const item = index.get(sku);
  switch (true) {
    case !item: return { ok: false, reason: `unknown ${sku}` };
    case item.qty < n: return { ok: false, reason: `only ${item.qty} left` };
    default: item.qty -= n; return { ok: true, total: Math.round(item.price * n * 100) / 100 + (express ? 5 : 0), text };
  }
}
console.log(order('A1', 20), order('B2', 9), order('Z'), order('B2', 1, { express: true, note: { text: 'fragile' } }));
for (const key in { a: 1, b: 2 }) console.log(key);
const copy = JSON.parse(JSON.stringify(items));
copy[0].tags.push('changed');
console.log(items[0].tags.length, copy[0].tags.length, items.find((i) => i.sku === 'B2')?.qty, items.findIndex((i) => i.qty === 0), Object.entries(items[1]).length);
let i = 0;
do { i += 2; } while (i < 7);
while (true) { if (i-- < 5) break; continue; }
console.log(i, [items].length, typeof items, items.at(-1).name, `${items.map((x) => x.sku)}`);
