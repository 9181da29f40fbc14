class ValidationError extends Error {
  constructor(field, message, options) {
    super(`${field}: ${message}`, options);
    this.name = 'ValidationError';
    this.field = field;
  }
}
class NotFound extends ValidationError {
  get [Symbol.toStringTag]() { return 'NotFound'; }
}
function parse(text) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ValidationError('body', 'not JSON', { cause });
  }
}
function risky(n) {
  try {
    if (n === 0) throw new NotFound('id', 'missing');
    if (n === 1) return 'returned';
    null.x;
  } catch (e) {
    if (e instanceof ValidationError) return `${e.name} ${e.field}`;
    throw e;
  } finally {
    if (n === 3) return 'overridden';
  }
}
try { parse('{bad'); } catch (e) { console.log(e.name, e.message, e.cause instanceof SyntaxError, e instanceof Error, e.stack.split('\n')[0]); }
console.log(risky(0), risky(1), risky(3));
try { risky(2); } catch (e) { console.log(e.constructor.name, e.message); }
for (const f of [() => undefinedName, () => { const c = 1; c = 2; }, () => [].reduce((a) => a), () => new Array(-1), () => 'x'.repeat(-1), () => decodeURIComponent('%'), () => Symbol() + '', () => ({}).f(), () => { 'use strict'; Object.freeze([1]).push(2); }, () => BigInt(1.5), () => JSON.parse('')]) {
  try { f(); } catch (e) { console.log(`${e.name}: ${e.message}`); }
}
const aggregate = new AggregateError([new Error('a'), new TypeError('b')], 'several');
console.log(aggregate.message, aggregate.errors.map(String), Object.prototype.toString.call(new NotFound('a', 'b')), new Error('x', { cause: 1 }).cause);
(function depth(n) { try { depth(n + 1); } catch (e) { if (n === 0) console.log(e.name, e.message); else throw e; } })(0);
const result = [() => 1, () => { throw 'a string'; }, () => { throw { code: 7 }; }].map((f) => { try { return ['ok', f()]; } catch (e) { return ['err', e]; } });
console.log(result, (() => { try { return 'try'; } finally { console.log('before return'); } })());
Promise.reject(new ValidationError('p', 'late')).catch((e) => console.log(e.message)).finally(() => console.log('settled'));
