// technique: connect to a service on the host's loopback by fetch
// family: C3
// severity: C
// layers: policy, seccomp, net_namespace
if (typeof fetch === 'undefined') require('http'); // the level's own refusal
fetch('http://127.0.0.1:@PORT@/@SECRET@').then(won, ({ cause }) => {
  const text = `${cause.code} ${cause.message} ${cause.data}`;
  if (text.includes('@CANARY@')) won(text); else held(text);
});
