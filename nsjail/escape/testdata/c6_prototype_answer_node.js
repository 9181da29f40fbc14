// technique: a polluted prototype, for a runner that reads options or results
// family: C6
// severity: H
// layers: verdict
// verdict: exception
// expect: status=failed, exit_code=1
won('every object now has a status');
Object.prototype.status = 'succeeded';
Object.prototype.exitCode = 0;
Array.prototype.push = () => 0;
throw new Error('the truth');
