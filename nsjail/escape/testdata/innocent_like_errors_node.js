// technique: errors of the program's own, with causes, stacks and groups
// family: innocents
// innocent: yes
class Failed extends Error {
  constructor(message, options) { super(message, options); this.name = 'Failed'; this.code = 'E_OWN'; Error.captureStackTrace?.(this, Failed); }
}
const found = [];
try { try { null.x; } catch (e) { throw new Failed('outer', { cause: e }); } } catch (e) {
  found.push(e instanceof Failed, e.cause instanceof TypeError, e.code, `${e}`, typeof e.stack, e.stack.includes('Failed: outer'));
}
Promise.any([Promise.reject(new Failed('a'))]).catch((e) => {
  found.push(e.errors.length, e.constructor.name);
  return Promise.allSettled([Promise.resolve(1), Promise.reject(2)]);
}).then((all) => {
  found.push(all.map((a) => a.status).join());
  (JSON.stringify(found) === '[true,true,"E_OWN","Failed: outer","string",true,1,"AggregateError","fulfilled,rejected"]' ? won : held)(found);
});
