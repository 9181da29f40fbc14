// technique: replaces the console that a runner would print its answer with
// family: C6
// severity: H
// layers: verdict
// verdict: exception
// expect: status=failed, exit_code=1, claimed=true
won('from here on the console says what we want');
const log = console.log;
console.log = console.error = () => log('{"status": "succeeded"}');
throw new Error('the truth');
