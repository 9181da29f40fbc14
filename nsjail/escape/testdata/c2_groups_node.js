// technique: change the gid from Node, or reach the calls that do
// family: C2
// severity: H
// layers: policy, seccomp, capabilities
try {
  const { setgid, setegid, seteuid, getgid, geteuid } = require('process');
  const errors = [];
  const changed = [() => setgid(0), () => setegid(0), () => seteuid(0), () => setegid(getgid()), () => seteuid(geteuid())].find((change) => {
    try { change(); return true; } catch (e) { errors.push(e.code); return false; }
  });
  if (changed) won(`${changed} is allowed`); else held(errors.join(' '));
} catch (e) { held(e); }
