// technique: texts with escapes, comments and code in them
// family: innocents
// innocent: yes
const source = `
// require('fs')
/* process.exit() */
const x = \`\${eval('1')}\`; <!-- old -->
`;
const escapes = '\u0070rocess' + "\x65val" + 'a\
b';
const words = source.split(/\W+/).filter(Boolean);
const replaced = source.replace(/require\('(\w+)'\)/, (all, name) => `import ${name}`).replaceAll('eval', 'parse');
const ok = escapes === 'processevalab' && words.includes('require') && replaced.includes('import fs') && !replaced.includes('eval') && String.raw`\n`.length === 2;
(ok ? won : held)(words.length);
