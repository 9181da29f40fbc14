'use strict';

const RAW = `region,month,units,price
north,2024-01,120,9.99
south,2024-01,80,10.49
north,2024-02,150,9.49
"east, new",2024-02,60,11.00`;

function parseCsv(text) {
  return text.split('\n').map((line) => {
    const cells = [];
    let cell = '', quoted = false;
    for (const c of line) {
      if (c === '"') quoted = !quoted;
      else if (c === ',' && !quoted) { cells.push(cell); cell = ''; } else cell += c;
    }
    return [...cells, cell];
  });
}

const [header, ...lines] = parseCsv(RAW);
const rows = lines.map((cells) => Object.fromEntries(header.map((h, i) => [h, cells[i]])));
const totals = rows.reduce((acc, { region, units, price }) => ({ ...acc, [region]: (acc[region] ?? 0) + units * price }), {});
for (const [region, total] of Object.entries(totals).sort(([, a], [, b]) => b - a)) {
  console.log(`${region.padEnd(10)}|${total.toFixed(2).padStart(10)}|${'#'.repeat(Math.floor(total / 200))}`);
}
const units = rows.map((r) => Number(r.units));
const mean = units.reduce((a, b) => a + b, 0) / units.length;
console.log({ mean, max: Math.max(...units), sorted: units.toSorted((a, b) => a - b) });
console.table?.(rows.slice(0, 2));
