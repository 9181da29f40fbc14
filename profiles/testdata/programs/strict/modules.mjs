import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import EventEmitter, { once } from 'events';
import * as util from 'util';

export const answer = 42;
export default function main() { return util.format('%s!', 'main'); }
export class Greeter { greet = (name) => `hello ${name}`; }

assert.equal(answer, 42);
console.log(main(), new Greeter().greet('esm'), createHash('sha1').update('x').digest('hex').slice(0, 8), typeof require, this);
const emitter = new EventEmitter();
queueMicrotask(() => emitter.emit('go', 1));
const [value] = await once(emitter, 'go');
console.log(value, await Promise.all([1, Promise.resolve(2)]));
for await (const x of [Promise.resolve('a'), 'b']) console.log(x);
const result = await (async () => { try { await Promise.reject(new Error('inner')); } catch ({ message }) { return message; } })();
console.log(result, [..."abc"].map((c) => c.codePointAt(0)));
{
  const answer = 'shadowed';
  console.log(answer);
}
try { undeclared = 1; } catch (e) { console.log(e.name, 'modules are strict'); }
