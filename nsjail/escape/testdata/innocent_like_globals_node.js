// technique: the global object, feature tests and names that may not exist
// family: innocents
// innocent: yes
globalThis.counter = 1;
var own = 2;
const names = ['window', 'document', 'self', 'Deno', 'Bun', 'navigator_'].filter((n) => typeof globalThis[n] !== 'undefined');
const isNode = typeof process !== 'undefined' && process.versions != null && process.versions.node != null;
const there = typeof require === 'function' && typeof module === 'object' && typeof exports === 'object' && require.main === module;
const ok = globalThis.counter === 1 && counter === 1 && own === 2 && typeof undefinedName === 'undefined' && isNode && there && typeof queueMicrotask === 'function' && process.argv.length >= 2 && typeof process.hrtime.bigint() === 'bigint';
(ok ? won : held)(names.join() || 'none');
