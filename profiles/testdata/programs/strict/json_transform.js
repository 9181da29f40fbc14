const data = { users: [{ id: 1, name: 'Ann', tags: ['a', 'b'], address: { city: 'Oslo' } }, { id: 2, name: 'Bob', tags: [], address: null }], when: new Date(0), skip: undefined, f() {}, big: [1, 2.5, -0, NaN, Infinity] };
console.log(JSON.stringify(data, null, 2));
console.log(JSON.stringify(data, (k, v) => (k === 'address' ? undefined : typeof v === 'string' ? v.toUpperCase() : v)), JSON.stringify(data, ['users', 'id']), JSON.stringify({ toJSON: () => 'custom' }), JSON.stringify('\u2028"é'), JSON.stringify([undefined, () => {}]));
console.log(JSON.parse('{"a":[1,{"b":null}],"d":"2024-01-01T00:00:00Z"}', (k, v) => (k === 'd' ? new Date(v).getUTCFullYear() : v)));
try { JSON.parse('{"a": 1,}'); } catch (e) { console.log(e.name); }
try { const c = {}; c.c = c; JSON.stringify(c); } catch (e) { console.log(e.message.split('\n')[0]); }
const get = (o, path, fallback) => path.split('.').reduce((v, k) => v?.[k], o) ?? fallback;
const set = (o, [k, ...rest], v) => ({ ...o, [k]: rest.length ? set(o[k] ?? {}, rest, v) : v });
const diff = (a, b) => Object.keys({ ...a, ...b }).filter((k) => JSON.stringify(a[k]) !== JSON.stringify(b[k]));
const groupBy = (xs, f) => xs.reduce((acc, x) => { (acc[f(x)] ||= []).push(x); return acc; }, {});
const pick = (o, ...ks) => Object.fromEntries(ks.filter((k) => k in o).map((k) => [k, o[k]]));
console.log(get(data, 'users.0.address.city'), get(data, 'users.1.address.city', 'unknown'), set({ a: { b: 1 } }, ['a', 'c', 'd'], 2), diff({ x: 1, y: [1] }, { x: 1, y: [2], z: 0 }));
console.log(groupBy([1, 2, 3, 4, 5], (n) => (n % 2 ? 'odd' : 'even')), data.users.map((u) => pick(u, 'id', 'name')), Object.entries({ b: 1, a: 2 }).sort().flat());
const { users: [{ name: firstName, address: { city = 'none' } = {} }, second], missing = 'default', ...others } = data;
console.log(firstName, city, second.id, missing, Object.keys(others));
const flatten = (o, prefix = '') => Object.entries(o ?? {}).reduce((acc, [k, v]) => (v && typeof v === 'object' && !Array.isArray(v) ? { ...acc, ...flatten(v, `${prefix}${k}.`) } : { ...acc, [prefix + k]: v }), {});
console.log(flatten(data.users[0]), [1, 2, 3, 4].reduce(([e, o], x) => (x % 2 ? [e, [...o, x]] : [[...e, x], o]), [[], []]));
let n = null;
n ??= 5; n ||= 6; n &&= 7; n **= 2;
console.log(n, data.users?.[5]?.name, data.nothing?.(), delete data.skip, void 0, typeof null, typeof undefined);
