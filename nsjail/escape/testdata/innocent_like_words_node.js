// technique: names of blocked things as words, keys, properties and methods
// family: innocents
// innocent: yes
const door = { open: true, process: 'steel', require: 'oak', eval: (x) => x + 1, Function: 3, constructor: null };
const text = "require('fs'); process.exit(1); eval('x'); new Function('return this')(); import('os')";
const pattern = /\b(?:require|import|process)\b/g;
class Shop { constructor(name) { this.process = name; } import(x) { return { import: x }; } delete() { return 'deleted'; } }
const { process: material } = door;
const ok = material === 'steel' && door.eval(1) === 2 && text.match(pattern).length === 3 && new Shop('x').import(2).import === 2 && new Shop('a').delete() === 'deleted' && door['constructor'] === null;
(ok ? won : held)(material);
