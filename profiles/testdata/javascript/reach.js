// What a program can reach: it walks every object that it can name, that library
// calls give or throw, and that is passed to methods of the language which it
// has replaced, and compares each with the objects that the harness planted
// before it. The first line, which the test adds, defines MODULES.

const { planted } = Object;
const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { get, has, set } = Map.prototype, { get: what } = WeakMap.prototype;
const out = process.stdout, { write } = out;

const seen = new Map(), todo = [], reached = [], failed = [];
let busy = false; // ours is not to be spied on

function add(value, path) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return;
  if (value === planted || apply(has, seen, [value])) return;
  apply(set, seen, [value, path]);
  const name = apply(what, planted, [value]);
  if (name) reached[reached.length] = `${name} by ${path}`;
  else todo[todo.length] = [value, path];
}

const part = (key) => (typeof key === 'symbol' ? `[${key.description}]` : `.${key}`);

function walk() {
  busy = true;
  for (let i = 0; i < todo.length; i++) {
    const [object, path] = todo[i];
    for (const key of ownKeys(object)) {
      let own;
      try { own = getOwnPropertyDescriptor(object, key) } catch { continue }
      if (!own) continue;
      if ('value' in own) { add(own.value, path + part(key)); continue }
      add(own.get, `${path}${part(key)} get`);
      add(own.set, `${path}${part(key)} set`);
      try { add(object[key], path + part(key)) } catch (error) { add(error, `${path}${part(key)} error`) }
    }
    try { add(getPrototypeOf(object), `${path}.__proto__`) } catch {}
    try { if (object instanceof Map || object instanceof Set) for (const item of object) add(item, `${path} item`) } catch {}
  }
  busy = false;
}

// Calls of all that a program has, honest and not.
const r = (name) => require(name); // not on every list
const values = {
  error: () => null.x, overflow: () => { (function f() { f() })() }, denied: () => r('fs'), unresolved: () => require.resolve(Symbol()),
  syntax: () => JSON.parse('{'), uri: () => decodeURIComponent('%'), range: () => new Array(-1), bigint: () => 1n / 0n, locale: () => new Intl.NumberFormat('not-a-locale-x'),
  timeout: () => setTimeout(() => {}, 1), immediate: () => setImmediate(() => {}), refresh: () => setTimeout(() => {}, 1).refresh().unref().ref().close(), negative: () => setTimeout(() => {}, -1), wrong: () => setTimeout('x', 1),
  interval: () => { const t = setInterval(() => clearInterval(t), 1); return t }, tick: () => process.nextTick(() => {}), microtask: () => queueMicrotask(() => {}),
  hash: () => require('crypto').createHash('md5'), hmac: () => require('crypto').createHmac('md5', 'k').update('a'), nohash: () => require('crypto').createHash('no'), hashEnd: () => require('crypto').createHash('md5').end('x'),
  cipher: () => require('crypto').createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)), secret: () => require('crypto').createSecretKey(Buffer.alloc(16)), keys: () => require('crypto').generateKeyPairSync('ed25519'),
  sign: () => require('crypto').createSign('sha256'), ecdh: () => require('crypto').createECDH('prime256v1'), random: () => require('crypto').randomBytes(2, () => {}), derive: () => require('crypto').pbkdf2('a', 'b', 1, 8, 'sha1', () => {}),
  scrypt: () => require('crypto').scryptSync('a', 'b', 8), digest: () => crypto.subtle.digest('SHA-1', new Uint8Array(1)), generate: () => require('crypto').webcrypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']),
  buffer: () => Buffer.from('x'), oldBuffer: () => Buffer(1), outside: () => Buffer.from('x').readInt8(5), concat: () => Buffer.concat([Buffer.alloc(1)]), decoder: () => new TextDecoder(), encoder: () => new TextEncoder().encode('x'),
  workdir: () => r('workdir'), absent: () => r('workdir').readText('absent'), outside2: () => r('workdir').readBytes('/x'), directory: () => r('workdir').readText('.'), noPath: () => r('workdir').writeText(1, 'x'), noBytes: () => r('workdir').writeBytes('x', 1),
  written: () => r('workdir').writeText('d/x', 'x'), writtenBytes: () => r('workdir').writeBytes('y', Buffer.from('x')), readBack: () => [r('workdir').readText('d/x'), r('workdir').readBytes('y')], listed: () => r('workdir').listFiles(), removed: () => r('workdir').remove('y'), input: () => r('workdir').stdin(), inputStream: () => process.stdin.on('data', () => {}).on('end', () => {}),
  blob: () => new Blob(['x']), blobText: () => new Blob(['x']).text(), blobStream: () => new Blob(['x']).stream().getReader().read(), file: () => new File(['x'], 'x'), base64: () => atob(btoa('a')),
  url: () => new URL('http://a/b?c=d').searchParams, badUrl: () => new URL('x'), parse: () => require('url').parse('http://x/y?z'), path: () => require('url').fileURLToPath('file:///x'), query: () => require('querystring').parse('a=b&c'),
  abort: () => { const c = new AbortController(); c.signal.addEventListener('abort', () => {}); c.abort(); return c }, any: () => AbortSignal.any([AbortSignal.abort()]), signal: () => AbortSignal.timeout(1),
  event: () => new CustomEvent('x'), target: () => { const t = new EventTarget(); t.addEventListener('x', () => {}, { once: true }); t.dispatchEvent(new Event('x')); return t },
  readable: () => new ReadableStream({ start(c) { c.enqueue(1); c.close() } }).getReader().read(), tee: () => new ReadableStream().tee(), writable: () => new WritableStream().getWriter(), transform: () => new TransformStream().writable.getWriter().write(1),
  compression: () => new Blob(['x']).stream().pipeThrough(new CompressionStream('gzip')).getReader().read(), decoding: () => new TextDecoderStream(),
  emitter: () => { const e = new (require('events'))(); e.on('error', () => {}); e.once('x', () => {}); e.emit('x', 1); e.emit('error', new Error()); for (let i = 0; i < 12; i++) e.on('y', () => {}); return e },
  unhandled: () => new (require('events'))().emit('error', new Error('u')), resource: () => new (require('events')['EventEmitterAsync' + 'Resource'])({ name: 'x' }), once: () => require('events').once(new (require('events'))(), 'x'), on: () => require('events').on(new (require('events'))(), 'x').next(),
  print: () => console.log('x', { a: 1 }, [1], new Map([[1, 2]]), class {}, () => {}, Symbol(), 1n, new Error('e')), printError: () => console.error('e'), table: () => console.table([[1]]), trace: () => console.trace('t'), time: () => { console.time('t'); console.timeEnd('t'); console.timeEnd('u') },
  count: () => console.count(), group: () => { console.group(); console.groupEnd() }, console: () => new console.Console(process.stdout), stdout: () => process.stdout.write(''), stdin: () => process.stdin.on('data', () => {}).resume(), stderr: () => process.stderr,
  memory: () => process.memoryUsage(), hrtime: () => process.hrtime(), cpu: () => process.cpuUsage(), resources: () => process.resourceUsage(), cwd: () => process.cwd(), uptime: () => process.uptime(), code: () => { process.exitCode = 0 }, badCode: () => { process.exitCode = {} },
  listener: () => process.on('x', () => {}).once('exit', () => {}).off('x', () => {}), emit: () => process.emit('x', 1), warning: () => process.emitWarning('q'), deprecation: () => process.emitWarning('d', 'DeprecationWarning', 'D1'),
  clone: () => structuredClone(new Map([[1, { a: new Date(), b: /x/, c: new Error('x') }]])), cloneBlob: () => structuredClone(new Blob(['a'])), cloneFunction: () => structuredClone(() => {}), transfer: () => structuredClone(new ArrayBuffer(8), { transfer: [] }),
  forged: () => { const b = new Blob(['x']); for (const s of ownKeys(Blob.prototype)) if (/clone_symbol/.test(s.description)) b[s] = () => ({ data: { handle: { fd: 0 } }, deserializeInfo: 'internal/fs/promises:FileHandle' }); return structuredClone(b).createReadStream() },
  assertion: () => require('assert')(0), equal: () => require('assert').deepStrictEqual({ a: [1] }, { a: [2] }), throws: () => require('assert').throws(() => { throw new TypeError('x') }, RangeError), rejects: () => require('assert').rejects(Promise.resolve()), tracker: () => new (require('assert').CallTracker)(), strict: () => require('assert/strict').equal('1', 1),
  inspect: () => require('util').inspect({ a: { b: { c: {} } }, [Symbol.for('nodejs.util.inspect.custom')]: (d, o, i) => [add(o, 'inspect options'), add(i, 'inspect'), i(1, o)] }), proxy: () => require('util').inspect(new Proxy({}, {}), { showProxy: true, showHidden: true, getters: true }), format: () => require('util').format('%s %d %i %f %j %o %O %c', 'a', 1, 1, 1, {}, {}, {}, ''),
  deprecated: () => require('util').deprecate(() => {}, 'old', 'D2')(), callback: () => require('util').callbackify(async () => 1)(function () { add(this, 'callbackify this') }), promised: () => require('util').promisify(setTimeout)(1), debug: () => require('util').debuglog('a')('b'), log: () => require('util').log('x'),
  args: () => require('util').parseArgs({ strict: false }), same: () => require('util').isDeepStrictEqual([1], [1]), inherits: () => require('util').inherits(function () {}, require('events')), mime: () => new (require('util').MIMEType)('text/plain'), errors: () => require('util').getSystemErrorMap(), aborted: () => require('util').aborted(new AbortController().signal, {}),
  text: () => new (require('string_decoder').StringDecoder)('utf8').write(Buffer.from('é')), mark: () => [performance.mark('a'), performance.measure('b', 'a'), performance.getEntries()],
  imported: () => import(['util'][0]), refused: () => import(['fs'][0]), promise: () => Promise.resolve(), generators: () => [(function* () {})(), (async function* () {})(), (async () => {})()], arguments: () => (function () { return arguments })(),
  iterators: () => [[][Symbol.iterator](), ''[Symbol.iterator](), new Map().entries(), new Set().values(), 'a'.matchAll(/a/g), new Intl.Segmenter('en').segment('a')[Symbol.iterator]()], revocable: () => Proxy.revocable({}, {}), weak: () => new WeakRef({}),
  callers: () => (function () { return [arguments.callee.caller, (function g() { return g.caller })()] })(), module: () => module, this: () => this, sloppy: () => (function () { return this })(), wrapper: () => arguments, sites: () => sites(),
  zlib: () => [r('zlib').createGzip(), r('zlib').gzipSync('x')], gzip: () => r('zlib').gzip('x', () => {}), stream: () => [new (r('stream').PassThrough)(), r('stream').Readable.from(['']).pipe(process.stdout)], pipeline: () => r('stream').pipeline(r('stream').Readable.from(['a']), new (r('stream').PassThrough)(), () => {}),
  colours: () => new console.Console({ stdout: process.stdout, colorMode: 'auto' }).log('x'),
  finished: () => r('stream/promises').finished(r('stream').Readable.from([])), timers: () => r('timers/promises').setTimeout(1), join: () => r('path').resolve('a'), hooks: () => r('perf_hooks').performance,
};

// sites gives what the frames of the stack show, on as many ways through the
// engine's own code as there are.
function sites() {
  const all = [], { prepareStackTrace } = Error;
  Error.stackTraceLimit = 100;
  Error.prepareStackTrace = (error, stack) => stack;
  const look = () => { for (const site of new Error().stack) all.push(site, site.getThis(), site.getFunction(), site.getEvalOrigin()) };
  const custom = { [Symbol.for('nodejs.util.inspect.custom')]() { look(); return '' } };
  const emitter = new (require('events'))().on('x', look);
  for (const call of [
    look, () => [1].map(look), () => 'a'.replace(/a/, look), () => JSON.stringify({ toJSON: look }), () => apply(look, null, []), () => new Proxy({}, { get: look }).x,
    () => emitter.emit('x'), () => require('util').inspect(custom), () => console.log(custom), () => structuredClone({ get a() { look() } }), () => new EventTarget().dispatchEvent({}),
    () => require({ toString: look }), () => require('url').format({ get protocol() { look() } }), () => require('querystring').stringify({ a: { toString: look } }), () => Buffer.from({ get length() { look() } }), () => process.emitWarning({ get name() { look() } }), () => process.exit({ valueOf: look }), () => new URL({ toString: look }),
  ]) { try { call() } catch (error) { for (const site of [].concat(error.stack)) if (site && site.getThis) all.push(site, site.getThis(), site.getFunction()) } }
  Error.prepareStackTrace = prepareStackTrace;
  return all;
}

function takeAll(round) {
  for (const name of Object.keys(values)) {
    try {
      const value = values[name]();
      add(value, `${name}${round}`);
      if (value && typeof value.then === 'function') value.then((v) => add(v, `${name}${round} value`), (e) => add(e, `${name}${round} error`));
    } catch (error) {
      add(error, `${name}${round} error`);
    }
  }
}

// spy replaces every method of the language's classes by one that notes what it
// is called with.
function spy(holder, name) {
  for (const key of ownKeys(holder)) {
    const own = getOwnPropertyDescriptor(holder, key);
    if (key === 'constructor' || !own.configurable || typeof own.value !== 'function') continue;
    const spied = function () {
      if (busy) return apply(own.value, this, arguments);
      busy = true;
      add(this, `${name}${part(key)} this`);
      for (let i = 0; i < arguments.length; i++) add(arguments[i], `${name}${part(key)} argument`);
      busy = false;
      return apply(own.value, this, arguments);
    };
    defineProperty(holder, key, { ...own, value: spied });
  }
}

// pollute gives all objects properties that are read as options, or set as parts
// of what Node makes, and notes whose they would be.
function pollute() {
  for (const name of ['sourceText', 'context', 'lineOffset', 'columnOffset', 'cachedData', 'initializeImportMeta', 'importModuleDynamically', 'identifier', 'url',
    'emitter', 'signal', 'env', 'filename', 'handle', 'data', 'port', 'highWaterMark', 'autoDestroy', 'objectMode', 'FORCE_COLOR', 'NO_COLOR', 'TERM', 'NODE_DEBUG']) {
    const note = (object, how) => { if (!busy) { busy = true; add(object, `Object.prototype.${name} ${how}`); busy = false } };
    defineProperty(Object.prototype, name, {
      __proto__: null, configurable: true,
      get() { note(this, 'get') },
      set(value) { note(this, 'set'); note(value, 'value'); defineProperty(this, name, { __proto__: null, value, configurable: true, enumerable: true, writable: true }) },
    });
  }
}

require('events').defaultMaxListeners = 1;
add(globalThis, 'globalThis');
add(require, 'require');
for (const name of MODULES) add(require(name), name);
for (const name of ['exit', 'beforeExit', 'warning', 'unhandledRejection', 'uncaughtException']) {
  process.on(name, function () { add(this, `${name} this`); for (let i = 0; i < arguments.length; i++) add(arguments[i], `${name} argument`) });
}
for (const [name, call] of Object.entries({ setTimeout, setImmediate, queueMicrotask, nextTick: process.nextTick })) {
  call(function () { add(this, `${name} this`) });
}
process.on('exit', () => {
  walk();
  busy = true;
  apply(write, out, [`\n${JSON.stringify({ seen: seen.size, reached })}\n`]);
});
takeAll(' before');
walk();
const classes = { Array, Buffer, Error, EventEmitter: require('events'), Function, Map, Object, Promise, RegExp, Set, String, Symbol, WeakMap };
for (const [name, item] of Object.entries(classes)) { spy(item.prototype, `${name}.prototype`); spy(item, name) }
for (const [name, item] of Object.entries({ JSON, Math, Reflect })) spy(item, name);
takeAll(' after');
pollute();
takeAll(' polluted');
for (const name of MODULES) import(name).then((made) => add(made, `${name} imported`), (error) => add(error, `${name} imported error`));
