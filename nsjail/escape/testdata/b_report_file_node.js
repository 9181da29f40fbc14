// technique: a diagnostic report shows the environment
// family: B
// severity: H
// layers: policy, environment
try {
  const { environmentVariables } = process.report.getReport();
  reached('the report of the process');
  if (environmentVariables.SAFE_EXEC_CANARY) won('read ' + environmentVariables.SAFE_EXEC_CANARY); else held('no canary in it');
} catch (e) { held(e); }
