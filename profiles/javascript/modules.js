
// Modules as programs get them: copies that hold what computes on the program's
// own data. A copy can be changed by the program without any other code seeing
// it. What is itself a function (assert, events, stream) is handed out as it is:
// nothing of the engine calls it by its properties.

// Exports that reach beyond the program's data: the engine of the digests, and
// what watches the engine of the language.
const WITHHELD = {
  __proto__: null,
  events: ['EventEmitterAsyncResource'],
  crypto: ['fips', 'secureHeapUsed', 'setEngine', 'setFips'],
  perf_hooks: [
    'createHistogram', 'eventLoopUtilization', 'monitorEventLoopDelay', 'Performance', 'PerformanceEntry', 'PerformanceMark',
    'PerformanceMeasure', 'PerformanceObserver', 'PerformanceObserverEntryList', 'PerformanceResourceTiming', 'timerify',
  ],
};
// Modules that compute; one that only an operator's list names is handed out as
// it is.
const PURE = set(`assert assert/strict buffer crypto events path path/posix path/win32 perf_hooks punycode querystring stream
  stream/consumers stream/promises stream/web string_decoder timers timers/promises url util util/types zlib`.split(/\s+/));

const loaded = { __proto__: null };

// withhold takes denied modules from where else they are: another one's exports,
// and globals.
function withhold({ blocked, names }) {
  for (const id in blocked) {
    const [parent, part] = id.split('/');
    if (part) WITHHELD[parent] = [...WITHHELD[parent] ?? [], part];
    for (const name of GLOBALS_OF[id] ?? []) names[name] = true;
  }
}

const GLOBALS_OF = {
  __proto__: null,
  buffer: ['Blob', 'Buffer', 'File', 'atob', 'btoa'], process: ['process'], url: ['URL', 'URLSearchParams'],
  crypto: ['Crypto', 'CryptoKey', 'SubtleCrypto', 'crypto'],
};

// load gives a program's copy of a module that its policy allows.
function load(id) {
  if (loaded[id] === undefined) {
    if (id === 'path' || id === 'path/posix' || id === 'path/win32') loadPaths();
    else if (id === 'workdir') loaded[id] = workdir();
    else loaded[id] = id === 'process' ? programProcess() : clean(() => copyModule(id));
  }
  return loaded[id];
}

function loadPaths() {
  const posix = loaded.path = loaded['path/posix'] = copyModule('path');
  const win32 = loaded['path/win32'] = copyModule('path/win32');
  for (let i = 0; i < 2; i++) {
    const copy = i === 0 ? posix : win32;
    if (hasOwn(posix, 'posix')) copy.posix = posix; else delete copy.posix;
    if (hasOwn(posix, 'win32')) copy.win32 = win32; else delete copy.win32;
  }
}

function copyModule(id) {
  const real = internal(`node:${id}`);
  const withheld = { __proto__: null }, names = ownKeys(real), copy = {};
  const list = WITHHELD[id] ?? [];
  if (typeof real === 'function' || !PURE[id]) {
    for (let i = 0; i < list.length; i++) delete real[list[i]];
    return real;
  }
  for (let i = 0; i < list.length; i++) withheld[list[i]] = true;
  for (let i = 0; i < names.length; i++) {
    if (!withheld[names[i]]) copyExport(copy, real, names[i]);
  }
  if (id === 'perf_hooks') copy.performance = programPerformance();
  return copy;
}

// copyExport keeps what is computed on demand so: some of it loads much.
function copyExport(copy, real, name) {
  const { get, set, enumerable, value } = { __proto__: null, ...getOwnPropertyDescriptor(real, name) };
  defineProperty(copy, name, get === undefined
    ? { __proto__: null, value, enumerable, configurable: true, writable: true }
    : {
      __proto__: null, enumerable, configurable: true,
      get: () => real[name], set: set && ((to) => { real[name] = to; }),
    });
}

const links = { __proto__: null };

// linked makes of a module what import statements bind.
function linked(id) {
  if (links[id] === undefined) {
    const module = load(id), names = ['default'], keys = Object.keys(module);
    for (let i = 0; i < keys.length; i++) if (keys[i] !== 'default') names[names.length] = keys[i];
    links[id] = clean(() => quietly(() => new vm.SyntheticModule(names, function () {
      this.setExport('default', module);
      for (let i = 1; i < names.length; i++) this.setExport(names[i], module[names[i]]);
    }, { __proto__: null, identifier: `node:${id}` })));
  }
  return links[id];
}

const namespaces = { __proto__: null };

// namespace promises what import() of a module gives: the namespace itself, since
// a program can listen to promises, and to the module hangs the engine's compiler.
function namespace(id) {
  return namespaces[id] ??= (async () => {
    const module = linked(id);
    if (module.status === 'unlinked') await module.link(() => {});
    if (module.status === 'linked') await module.evaluate();
    return module.namespace;
  })();
}

// importer is import() of restricted programs.
function importer(policy) {
  return async (specifier) => namespace(bare(permitted(policy, specifier)));
}

function permitted(policy, name) {
  const refused = refusal(policy, name);
  if (refused) throw denied('ERR_IMPORT_DENIED', refused.message);
  return name;
}

// guard gives require as restricted programs have it.
function guard(policy, main) {
  // Of what is no name, the engine's own error.
  const resolve = (name) => (typeof name === 'string' ? permitted(policy, name) : internal.resolve(name));
  const require = (id) => load(bare(resolve(id)));
  define(require, 'resolve', resolve);
  define(require, 'main', main);
  define(require, 'cache', { __proto__: null });
  return require;
}
