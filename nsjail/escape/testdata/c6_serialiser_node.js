// technique: replaces the serialiser that a runner in the same process would use
// family: C6
// severity: C
// layers: policy, verdict
// verdict: exception
// expect: status=failed, exit_code=1
const text = '{"status": "succeeded"}';
won('from here on everything is serialised as ' + text);
JSON.stringify = () => text;
Object.prototype.toJSON = () => ({ status: 'succeeded' });
throw new Error('the truth');
