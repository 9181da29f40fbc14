'use strict';
const step = (alive) => {
  const counts = new Map();
  for (const cell of alive) {
    const [x, y] = cell.split(',').map(Number);
    for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) if (dx || dy) counts.set(`${x + dx},${y + dy}`, (counts.get(`${x + dx},${y + dy}`) ?? 0) + 1);
  }
  return new Set([...counts].filter(([cell, n]) => n === 3 || (n === 2 && alive.has(cell))).map(([cell]) => cell));
};
const show = (alive, size = 6) => Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => (alive.has(`${x},${y}`) ? '#' : '.')).join('')).join('\n');
let alive = new Set(['1,0', '2,1', '0,2', '1,2', '2,2']);
for (let g = 0; g < 4; g++) {
  console.log(`-- ${g}: ${alive.size}\n${show(alive)}`);
  alive = step(alive);
}
function* permutations(items) {
  if (items.length < 2) yield items;
  else for (let i = 0; i < items.length; i++) for (const rest of permutations([...items.slice(0, i), ...items.slice(i + 1)])) yield [items[i], ...rest];
}
function queens(n, columns = []) {
  if (columns.length === n) return [columns];
  return Array.from({ length: n }, (_, c) => c).filter((c) => columns.every((q, r) => q !== c && Math.abs(q - c) !== columns.length - r)).flatMap((c) => queens(n, [...columns, c]));
}
console.log([...permutations([1, 2, 3])].map((p) => p.join('')).join(), queens(6), queens(8).length);
const editDistance = (a, b) => {
  const row = [...Array(b.length + 1).keys()];
  for (let i = 1; i <= a.length; i++) {
    let previous = i - 1;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) [previous, row[j]] = [row[j], Math.min(row[j] + 1, row[j - 1] + 1, previous + (a[i - 1] !== b[j - 1]))];
  }
  return row[b.length];
};
const hanoi = (n, a = 'A', b = 'B', c = 'C') => (n ? [...hanoi(n - 1, a, c, b), a + c, ...hanoi(n - 1, b, a, c)] : []);
console.log(editDistance('kitten', 'sitting'), hanoi(3), hanoi(8).length);
const rng = ((s) => () => ((s = (s * 1664525 + 1013904223) >>> 0) / 2 ** 32))(42);
const shuffled = [...Array(10).keys()];
for (let i = shuffled.length - 1; i > 0; i--) { const j = Math.floor(rng() * (i + 1)); [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]]; }
console.log(shuffled.join(), Math.random() < 1);
