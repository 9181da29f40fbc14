'use strict';

// Looks at what a program got hold of; node loads this ahead of the harness.
//
// A program under this oracle puts every object that it reaches into the array
// globalThis.got. When the process ends, the objects in got and in what got
// holds are compared, by identity, with what no restricted program may have:
// the real process, the loader and its modules, the modules that open doors and
// their functions, and what makes code of text. The last line of standard error
// says what came of it.

const Module = require('module');
const fs = require('fs');
const { process } = globalThis;
const real = new Map([[process, 'process'], [Module, 'the loader'], [globalThis.eval, 'eval'], [require, 'a real require']]);
for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}]) {
  real.set(sample.constructor, `the constructor ${sample.constructor.name}`);
}
for (const name of ['binding', '_linkedBinding', 'dlopen', 'kill', 'getBuiltinModule']) {
  if (process[name]) real.set(process[name], `process.${name}`);
}
for (const name of ['fs', 'fs/promises', 'child_process', 'vm', 'module', 'worker_threads', 'net', 'os', 'inspector', 'v8']) {
  const exported = require(name);
  real.set(exported, `module ${name}`);
  for (const key of ['readFileSync', 'openSync', 'readFile', 'spawn', 'spawnSync', 'execSync', 'runInThisContext', 'Script', 'createRequire', 'Worker', 'Session']) {
    if (typeof exported[key] === 'function') real.set(exported[key], `${name}.${key}`);
  }
}
const { apply, ownKeys } = Reflect, { isArray } = Array, { exit, writeSync } = { exit: process.reallyExit, writeSync: fs.writeSync };
const { get: found_, has: known_ } = Map.prototype, { add, has: seen_ } = Set.prototype, { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const prototypeOfObject = Object.prototype, { setPrototypeOf } = Object, { isProxy } = require('util').types;

// The program may have left any prototype in any state: from here on nothing is
// iterated, nothing is looked up in a prototype, and no list inherits setters.
const list = () => setPrototypeOf([], null);

function judge(got) {
  const seen = new Set(), found = list(), todo = list();
  let count = 0;
  todo[0] = got;
  for (let at = 0; at < todo.length && count < 20000; at++) {
    const value = todo[at];
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || apply(seen_, seen, [value])) continue;
    apply(add, seen, [value]);
    count++;
    if (apply(known_, real, [value])) {
      found[found.length] = apply(found_, real, [value]);
      continue;
    }
    if (isProxy(value)) continue;
    if (value instanceof Module) { found[found.length] = 'a module of the loader'; continue; }
    if (isArray(value) || getPrototypeOf(value) === prototypeOfObject || getPrototypeOf(value) === null) {
      const keys = ownKeys(value);
      for (let i = 0; i < keys.length; i++) {
        const descriptor = getOwnPropertyDescriptor(value, keys[i]);
        if (descriptor && 'value' in descriptor) todo[todo.length] = descriptor.value;
      }
    }
  }
  return { found, count };
}

process.on('exit', () => {
  if (!globalThis.got) return;
  const { found, count } = judge(globalThis.got);
  let text = '';
  for (let i = 0; i < found.length; i++) text += (i ? ', ' : '') + found[i];
  writeSync(2, `\nORACLE ${count} objects: ${text || 'clean'}\n`);
});
