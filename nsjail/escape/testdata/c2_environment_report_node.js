// technique: find a secret of the supervisor in Node's diagnostic report
// family: C2
// severity: H
// layers: policy, environment
try {
  const { environmentVariables, header } = require('process').report.getReport();
  const found = environmentVariables['@ENVIRON_NAME@'];
  if (found === '@ENVIRON_VALUE@') won(found); else held(`host ${header.host}, no secret`);
} catch (e) { held(e); }
