// technique: make a TCP socket through Node's internal binding
// family: C3
// severity: H
// layers: policy, seccomp, net_namespace
try {
  const { TCP, constants } = require('process').binding('tcp_wrap');
  const handle = new TCP(constants.SOCKET);
  const error = handle.bind('127.0.0.1', 0);
  const name = {};
  handle.getsockname(name);
  handle.close();
  if (error === 0 && name.port > 0) won(`bound port ${name.port}`); else held(`bind answered ${error}`);
} catch (e) { held(e); }
