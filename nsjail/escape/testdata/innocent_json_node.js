// technique: JSON and array methods
// family: innocents
// innocent: yes
const rows = [{ n: 'b', v: 2 }, { n: 'a', v: 1 }, { n: 'c', v: 3 }];
const total = rows.filter((r) => r.v > 1).map((r) => r.v ** 2).reduce((a, b) => a + b, 0);
const sorted = [...rows].sort((a, b) => a.n.localeCompare(b.n)).map((r) => r.n).join('');
const back = JSON.parse(JSON.stringify({ total, when: new Date(0) }), (k, v) => (k === 'when' ? new Date(v) : v));
(total === 13 && sorted === 'abc' && back.when.getTime() === 0 && structuredClone(rows)[2].v === 3 ? won : held)(sorted);
