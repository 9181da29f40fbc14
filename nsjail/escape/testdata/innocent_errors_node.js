// technique: errors, causes, and cleaning up
// family: innocents
// innocent: yes
class OwnError extends Error {}
let steps = [];
try {
  try { null.x; } catch (cause) { throw new OwnError('wrapped', { cause }); } finally { steps.push('finally'); }
} catch (e) {
  steps.push(e instanceof OwnError && e.cause instanceof TypeError, e.stack.includes('wrapped'));
}
(steps.join() === 'finally,true,true' ? won : held)(steps.join());
