const { URL, URLSearchParams } = require('url');
const querystring = require('querystring');
const assert = require('assert');

const u = new URL('https://user:pa%20ss@example.org:8443/a/b/../c?x=1&x=2&y=#frag');
console.log(u.href, u.host, u.hostname, u.port, u.pathname, u.username, u.password, u.origin, u.hash, u.searchParams.getAll('x'));
u.searchParams.append('z', 'a b&c');
u.searchParams.delete('x');
u.port = '443';
u.pathname = '/new path';
console.log(String(u), [...u.searchParams], u.searchParams.has('y'), new URL('../d?q', 'http://h/a/b/').href);
console.log(querystring.parse('a=1&b=2&a=3&c=%20x'), querystring.stringify({ q: 'a b', list: [1, 2] }), new URLSearchParams({ a: '1', b: 'é' }).toString());
for (const bad of ['nonsense', 'http://', 'http://[::1']) {
  try { new URL(bad); } catch (e) { console.log(e.code, e.name); }
}
assert.deepStrictEqual({ a: [1, 2] }, { a: [1, 2] });
assert.throws(() => { throw new RangeError('r'); }, RangeError);
assert.ok(true);
try { assert.strictEqual(1, 2, 'one is not two'); } catch (e) { console.log(e.name, e.message, e.code); }
try { assert.deepEqual({ a: 1 }, { a: 2 }); } catch (e) { console.log(e.message.split('\n')[0]); }
const router = new Map();
const route = (pattern, handler) => router.set(new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`), handler);
route('/users/:id', ({ id }) => `user ${id}`);
route('/users/:id/posts/:post', ({ id, post }) => `${post} of ${id}`);
const dispatch = (path) => { for (const [re, handler] of router) { const m = re.exec(path); if (m) return handler(m.groups); } return '404'; };
console.log(['/users/7', '/users/7/posts/x', '/nope'].map(dispatch));
