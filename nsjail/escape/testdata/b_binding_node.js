// technique: start a program by an internal binding
// family: B
// severity: C
// layers: policy, seccomp
try {
  const { spawn } = process.binding('spawn_sync');
  if (typeof spawn === 'function') reached('the binding that starts programs');
  const r = spawn({ file: '/bin/sh', args: ['sh', '-c', 'exit 7'], envPairs: [], stdio: [{ type: 'inherit', fd: 0 }, { type: 'inherit', fd: 1 }, { type: 'inherit', fd: 2 }] });
  if (r.status === 7) won("child's exit status 7"); else held('spawn gave error ' + r.error);
} catch (e) { held(e); }
