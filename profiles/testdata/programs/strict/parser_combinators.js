const parser = (f) => ({ run: f, map: (g) => parser((s, i) => { const r = f(s, i); return r.ok ? { ...r, value: g(r.value) } : r; }), then: (g) => parser((s, i) => { const r = f(s, i); return r.ok ? g(r.value).run(s, r.next) : r; }) });
const regex = (re) => parser((s, i) => { const m = new RegExp(re.source, 'y'); m.lastIndex = i; const r = m.exec(s); return r ? { ok: true, value: r[0], next: m.lastIndex } : { ok: false, at: i, wanted: String(re) }; });
const seq = (...ps) => parser((s, i) => { const value = []; for (const p of ps) { const r = p.run(s, i); if (!r.ok) return r; value.push(r.value); i = r.next; } return { ok: true, value, next: i }; });
const alt = (...ps) => parser((s, i) => { let best; for (const p of ps) { const r = p.run(s, i); if (r.ok) return r; if (!best || r.at > best.at) best = r; } return best; });
const many = (p) => parser((s, i) => { const value = []; for (let r; (r = p.run(s, i)).ok && r.next > i; i = r.next) value.push(r.value); return { ok: true, value, next: i }; });
const lazy = (f) => parser((s, i) => f().run(s, i));
const token = (re) => seq(regex(re), regex(/\s*/)).map(([v]) => v);
const sepBy = (p, sep) => alt(seq(p, many(seq(sep, p).map(([, v]) => v))).map(([a, b]) => [a, ...b]), parser((s, i) => ({ ok: true, value: [], next: i })));
const value = lazy(() => alt(string, number, array, object, token(/true|false|null/).map((v) => ({ true: true, false: false, null: null })[v])));
const string = token(/"(?:[^"\\]|\\.)*"/).map((s) => JSON.parse(s)), number = token(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/).map(Number);
const array = seq(token(/\[/), sepBy(value, token(/,/)), token(/\]/)).map(([, v]) => v);
const object = seq(token(/\{/), sepBy(seq(string, token(/:/), value), token(/,/)), token(/\}/)).map(([, ps]) => Object.fromEntries(ps.map(([k, , v]) => [k, v])));
const parse = (s) => { const r = value.run(s.trim(), 0); if (!r.ok) throw new SyntaxError(`at ${r.at}: wanted ${r.wanted}`); return r.value; };
for (const text of ['{"a": [1, 2.5e3, true, null], "b": {"c": "\\u00e9 \\"q\\""}}', '[]', '[1, ', '-12']) {
  try { const v = parse(text); console.log(v, JSON.stringify(v) === JSON.stringify(JSON.parse(text))); } catch (e) { console.log(e.message); }
}
const calc = (s) => { const atom = lazy(() => alt(number, seq(token(/\(/), sum, token(/\)/)).map(([, v]) => v))); const fold = (ops) => ([a, rest]) => rest.reduce((x, [o, y]) => ops[o](x, y), a); const product = seq(atom, many(seq(token(/[*/]/), atom))).map(fold({ '*': (a, b) => a * b, '/': (a, b) => a / b })); const sum = seq(product, many(seq(token(/[+-]/), product))).map(fold({ '+': (a, b) => a + b, '-': (a, b) => a - b })); return sum.run(s, 0).value; };
console.log(calc('1 + 2 * (3 - 4) / 2'), calc('2*3*4'));
