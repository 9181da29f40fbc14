// technique: find a secret of the supervisor in process.env
// family: C2
// severity: H
// layers: policy, environment
try {
  const found = Object.entries(process.env).filter(([name, value]) => name === '@ENVIRON_NAME@' && value === '@ENVIRON_VALUE@');
  if (found.length > 0) won(found.join('=')); else held(`${Object.keys(process.env).length} variables, none secret`);
} catch (e) { held(e); }
