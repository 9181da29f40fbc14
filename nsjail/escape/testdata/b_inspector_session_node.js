// technique: an inspector session with command-line helpers
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
let session;
try {
  const inspector = require('inspector');
  session = new inspector.Session();
  session.connect();
  reached('an inspector session');
} catch (e) { held(e); }
if (session) {
  session.post('Runtime.evaluate', { expression: "require('fs').readFileSync('@READABLE@', 'utf8')", includeCommandLineAPI: true }, (error, answer) => {
    if (error) held(error); else if (answer.exceptionDetails) held(answer.result.description); else won('read ' + answer.result.value);
  });
}
