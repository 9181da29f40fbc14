const log = `10.0.0.1 - [2024-05-01T10:00:00Z] "GET /index.html" 200 2326
10.0.0.2 - [2024-05-01T10:00:05Z] "POST /login" 302 0
nonsense
10.0.0.1 - [2024-05-01T10:01:00Z] "GET /missing?q=1" 404 153`;
const pattern = /^(?<ip>\d+(?:\.\d+){3}) - \[(?<when>[^\]]+)\] "(?<method>[A-Z]+) (?<path>\S+)" (?<status>\d{3}) (?<size>\d+)$/gm;
const entries = [...log.matchAll(pattern)].map(({ groups }) => ({ ...groups, size: +groups.size }));
console.log(entries.length, entries[0].path, Object.groupBy ? 'has groupBy' : 'no groupBy');
const byIp = new Map();
for (const e of entries) byIp.set(e.ip, [...(byIp.get(e.ip) ?? []), e.status]);
console.log(byIp, entries.reduce((n, e) => n + e.size, 0));
console.log('2024-05-01'.replace(/(\d+)-(\d+)-(\d+)/, '$3/$2/$1'), 'a-b-c'.replaceAll('-', '+'), 'camelCaseText'.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), 'snake_case'.replace(/_(\w)/g, (_, c) => c.toUpperCase()));
console.log(/(?<=\$)\d+(?!\.)/.exec('cost $42 now')?.[0], /\p{Lu}/u.test('É'), /^.$/su.test('\n'), 'aBc'.match(/b/i).index, 'x'.match(/y/), /a/y.test('ba'), 'one1two22'.split(/\d+/), /(\w)\1/.test('hello'));
console.log('abc'.padStart(5, '*'), ' x '.trim().length, 'abc'.at(-1), 'a,b'.split(','), 'ab'.repeat(2), 'Hello'.startsWith('He'), 'hello'.lastIndexOf('l'), [...'héé'].length, '😀'.length, '😀'.codePointAt(0), 'é'.normalize('NFD').length, String.raw`a\n${1}`, 'b'.localeCompare('a'), encodeURIComponent('a b&é'), decodeURI('%20'), escape ? 'ok' : '');
const template = (strings, ...values) => strings.raw.map((s, i) => s + (values[i] === undefined ? '' : `<${values[i]}>`)).join('');
console.log(template`a ${1} b ${'x'} c`, `${[1, 2]} ${{}} ${null} ${() => 1}`);
const isPalindrome = (s) => ((t) => t === [...t].reverse().join(''))(s.toLowerCase().replace(/[^a-z0-9]/g, ''));
const caesar = (s, k) => s.replace(/[a-z]/gi, (c) => String.fromCharCode(((c.charCodeAt() - (c < 'a' ? 65 : 97) + k + 26) % 26) + (c < 'a' ? 65 : 97)));
const wordCount = (s) => Object.entries(s.toLowerCase().match(/\w+/g).reduce((a, w) => ({ ...a, [w]: (a[w] || 0) + 1 }), {})).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
console.log(isPalindrome('A man, a plan, a canal: Panama'), caesar('Hello, World', 3), caesar(caesar('abc', 5), -5), wordCount('the cat and the dog and the bird'));
