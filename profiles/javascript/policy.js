
// The import policy: the lists of the level, and the words of a refusal.

const INSTEAD = {
  __proto__: null,
  fs: 'use workdir: require("workdir").readText("name"), writeText("name", text)',
  child_process: 'a program cannot start others', cluster: 'a program cannot start others',
  worker_threads: 'promises and timers work',
  http: 'there is no network', https: 'there is no network', http2: 'there is no network',
  net: 'there is no network', tls: 'there is no network', dgram: 'there is no network', dns: 'there is no network',
  'fs/promises': 'use workdir: require("workdir").readText("name"), writeText("name", text)',
  os: 'process.platform and process.arch say what there is to say',
  path: 'join the parts of a path as strings',
  readline: 'require("workdir").stdin() gives the input',
  vm: 'code cannot be made from strings', module: 'require and import give the modules of the list',
  async_hooks: 'pass the context as an argument',
  axios: 'there is no network', 'node-fetch': 'there is no network',
  eval: 'code cannot be made from strings; JSON.parse reads data', Function: 'code cannot be made from strings; write the function out',
  fetch: 'there is no network', WebSocket: 'there is no network', EventSource: 'there is no network',
  Request: 'there is no network', Response: 'there is no network', Headers: 'there is no network', FormData: 'there is no network',
  WebAssembly: 'write the computation in JavaScript',
  MessageChannel: 'setImmediate and structuredClone work', BroadcastChannel: 'there is nobody to talk to',
  PerformanceObserver: 'performance.now measures',
  localStorage: 'use a Map', sessionStorage: 'use a Map',
};

function instead(name) {
  return INSTEAD[name] === undefined ? '' : `: ${INSTEAD[name]}`;
}

// bare is a module's name without the scheme: node:util is util.
function bare(name) {
  return apply(slice, name, [0, 5]) === 'node:' ? apply(slice, name, [5]) : name;
}

function set(names) {
  const found = { __proto__: null };
  for (const name of names) found[bare(name)] = true;
  return found;
}

// makePolicy gives the policy of a level, undefined where it has none.
function makePolicy([restricted, imports, blocked, names]) {
  if (restricted !== 'restricted') return undefined;
  const policy = { imports: set(lines(imports)), blocked: set(lines(blocked)), names: set(lines(names)) };
  withhold(policy);
  return policy;
}

// refusal gives rule and message for a module that may not be imported, or
// undefined.
function refusal(policy, name) {
  const id = bare(name);
  const end = apply(indexOf, id, ['/']);
  const parent = end > 0 ? apply(slice, id, [0, end]) : id;
  const hint = instead(id) || instead(parent);
  if (policy.blocked[id] || (policy.blocked[parent] && !policy.imports[id])) {
    return { rule: 'import_blocked', message: `module ${name} is blocked${hint}` };
  }
  if (policy.imports[id]) return undefined;
  if (end === 0 || id[0] === '.') {
    return { rule: 'import_not_allowed', message: `module ${name} is not on the list of allowed modules: a program is one file` };
  }
  return { rule: 'import_not_allowed', message: `module ${name} is not on the list of allowed modules${hint}` };
}

function denied(code, message) {
  const error = new Error(message);
  define(error, 'code', code);
  return error;
}
