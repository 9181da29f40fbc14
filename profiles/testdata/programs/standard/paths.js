const path = require('path');
const { join, resolve, basename, extname, parse, relative, posix, win32 } = require('node:path');

console.log(join('/a', '..', 'b', './c.txt'), basename('/x/y.tar.gz', '.gz'), extname('file.min.js'), path.dirname('/a/b/c'), path.sep, path.normalize('/a//b/../c/.'), path.isAbsolute('a'));
console.log(parse('/home/u/file.txt'), path.format({ dir: '/d', name: 'n', ext: '.e' }), relative('/a/b/c', '/a/d'), posix.join('a', 'b'), win32.join('a', 'b'), resolve('/x', 'y', '../z'));
const tree = (files) => files.reduce((root, f) => { let node = root; for (const part of f.split('/')) node = node[part] ??= {}; return root; }, {});
const show = (node, indent = '') => Object.entries(node).forEach(([name, child]) => { console.log(`${indent}${name}`); show(child, `${indent}  `); });
show(tree(['src/main.js', 'src/lib/a.js', 'README.md']));
