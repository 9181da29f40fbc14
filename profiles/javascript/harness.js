'use strict';

// The JavaScript harness: our code in the payload's process, ahead of the
// program. It loads the steady seccomp filter, takes the job from the daemon,
// parses the program, answers, gives up the job socket, and runs the program
// as a CommonJS main module.
//
// It protects nobody by itself: the kernel layers are the boundary. The import
// policy is a courtesy and works at run time only, through a guarded require
// and reduced globals, since the engine does not hand out its syntax tree and
// a scan of the text would refuse honest programs. Runs on Node 20 and later.

const fs = require('fs');
const vm = require('vm');
const Module = require('module');
const { process } = globalThis; // the global is replaced for restricted programs

const JOB_SOCKET = 3;
const MAX_MESSAGE = 4 << 20; // bytes
const MAX_TEXT = 2000; // UTF-16 units of any one message in an answer
const EXCEPTION = 90, IMPORT_DENIED = 91, POLICY_VIOLATION = 92; // exit statuses

const DIR = '/tmp';
const PATH = '/tmp/program.js';
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const AsyncFunction = (async () => {}).constructor;
const ASYNC = 'return (async () => {';

// The job socket.

function number(value) {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function text(value) {
  const data = Buffer.from(value.slice(0, MAX_TEXT));
  return Buffer.concat([number(data.length), data]);
}

function send(kind, ...parts) {
  const payload = Buffer.concat(parts);
  const data = Buffer.concat([Buffer.from(kind), number(payload.length), payload]);
  for (let at = 0; at < data.length;) at += fs.writeSync(JOB_SOCKET, data, at);
}

function read(size) {
  const data = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    const count = fs.readSync(JOB_SOCKET, data, at, size - at, null);
    if (count === 0) throw new Error('the job socket ended inside a frame');
    at += count;
  }
  return data;
}

function receive(kind) {
  const header = read(5);
  const size = header.readUInt32LE(1);
  if (header[0] !== kind.charCodeAt(0) || size > MAX_MESSAGE) {
    throw new Error(`expected frame ${kind}, got ${header.toString('hex')}`);
  }
  return read(size);
}

function strings(payload) {
  const found = [];
  for (let at = 0; at < payload.length;) {
    const end = at + 4 + payload.readUInt32LE(at);
    if (end > payload.length) throw new Error('a string of the job is cut short');
    found.push(payload.toString('utf8', at + 4, end));
    at = end;
  }
  return found;
}

function lockDown() {
  const { lockdown } = require(`${__dirname}/safe_exec.node`);
  return lockdown(fs.readFileSync(`${__dirname}/steady.bpf`));
}

// Parsing.

// compile makes the program's function without running any of it. A program
// that awaits at its top level becomes the body of an async function.
function compile(code, importModuleDynamically) {
  const options = { filename: PATH, importModuleDynamically };
  let program;
  try {
    return vm.compileFunction(code, PARAMETERS, options);
  } catch (error) {
    if (!/^await is only valid/.test(error.message)) throw error;
    try {
      program = vm.compileFunction(`${ASYNC}${code}\n})()`, PARAMETERS, options);
    } catch (inner) {
      inner.prefix = ASYNC.length;
      throw inner;
    }
    try {
      new AsyncFunction(code); // proves that the text is one body and does not end it
    } catch {
      throw error;
    }
    return program;
  }
}

// describe turns the engine's error into line, column in characters, message.
function describe(error) {
  // Node puts the place before the stack: file and line, the line, a caret
  // (which is missing where the line holds a NUL).
  const place = /^\/tmp\/program\.js:(\d+)\n([^\n]*)\n([^\n^]*)[\n^]/.exec(error.stack);
  let message = error.message;
  if (!(error instanceof SyntaxError)) {
    message = `the program is nested too deeply or too large to parse (${message})`;
  } else if (/import statement|'import.meta'|Unexpected token 'export'/.test(message)) {
    message += '; the program runs as a CommonJS script: use require, and no export';
  }
  if (!place) return [1, 1, message];
  const line = Number(place[1]);
  const before = place[2].slice(line === 1 ? error.prefix ?? 0 : 0, place[3].length);
  return [line, [...before].length + 1, message];
}

// The import policy.

const INSTEAD = {
  fs: 'keep the data in the program and print the result',
  child_process: 'a program cannot start others',
  http: 'there is no network', https: 'there is no network', net: 'there is no network',
  worker_threads: 'promises and timers work', process: 'console and timers are globals',
};

function denied(code, message) {
  return Object.assign(new Error(message), { code });
}

function makeRequire(imports, blocked, main) {
  const bare = (name) => (name.startsWith('node:') ? name.slice(5) : name);
  const allowed = new Set(imports.split('\n').filter(Boolean).map(bare));
  const refused = new Set(blocked.split('\n').filter(Boolean).map(bare));
  const real = require;

  function resolve(name) {
    if (typeof name !== 'string') return real.resolve(name); // throws the engine's own error
    const id = bare(name);
    if (allowed.has(id) && !refused.has(id)) return name;
    const hint = Object.hasOwn(INSTEAD, id) ? `: ${INSTEAD[id]}` : '';
    throw denied('ERR_IMPORT_DENIED', refused.has(id) || refused.has(id.split('/')[0])
      ? `module ${name} is blocked${hint}`
      : `module ${name} is not on the list of allowed modules${hint}`);
  }

  const require_ = (id) => real(resolve(id));
  return Object.assign(require_, { resolve, main, cache: Object.create(null) });
}

// limitedProcess is what honest programs use of process: arguments, clocks,
// standard output, exit. No bindings, signals, ids, reports or loaders.
function limitedProcess() {
  const own = process;
  const limited = {
    title: 'node', version: own.version, versions: { ...own.versions },
    arch: own.arch, platform: own.platform, pid: own.pid, env: { ...own.env },
    argv: [own.execPath, PATH], argv0: 'node', execArgv: [], execPath: own.execPath,
    hrtime: Object.assign((previous) => own.hrtime(previous), { bigint: () => own.hrtime.bigint() }),
    get stdout() { return own.stdout; },
    get stderr() { return own.stderr; },
    get stdin() { return own.stdin; },
    get exitCode() { return own.exitCode; },
    set exitCode(code) { own.exitCode = code; },
    [Symbol.toStringTag]: 'process',
  };
  for (const name of ['cpuUsage', 'cwd', 'emitWarning', 'exit', 'memoryUsage', 'nextTick', 'uptime']) {
    limited[name] = (...values) => own[name](...values);
  }
  for (const name of ['on', 'once', 'off', 'addListener', 'removeListener', 'emit']) {
    limited[name] = (...values) => { own[name](...values); return limited; };
  }
  return limited;
}

function define(object, name, value) {
  Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: false });
}

function reduceGlobals(names) {
  const blocked = new Set(names.split('\n').filter(Boolean));
  define(globalThis, 'process', limitedProcess());
  blocked.delete('process');
  if (blocked.delete('eval') | blocked.delete('Function')) {
    const refuse = (name) => function () {
      throw denied('ERR_POLICY_VIOLATION', `${name} is blocked: code cannot be made from strings`);
    };
    define(globalThis, 'eval', refuse('eval'));
    for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}]) {
      const prototype = Object.getPrototypeOf(sample);
      const name = prototype.constructor.name;
      const constructor = refuse(name);
      define(constructor, 'name', name);
      constructor.prototype = prototype; // instanceof keeps working
      define(prototype, 'constructor', constructor);
      if (name === 'Function') define(globalThis, name, constructor);
    }
  }
  for (const name of blocked) delete globalThis[name];
}

// Running.

// strip takes the harness's frames out of an error's stack. It runs after the
// program, which may have replaced any method, so it uses those of before.
const { split, includes, replace } = String.prototype;
const { apply } = Reflect;

function strip(error) {
  try {
    const lines = apply(split, error.stack, ['\n']);
    let kept = lines[0];
    for (let i = 1; i < lines.length; i++) {
      if (!apply(includes, lines[i], [__filename])) kept += `\n${lines[i]}`;
    }
    error.stack = kept;
  } catch {
    // Not an error with a stack, or one that does not want to be written to.
  }
}

function policyStatus(error) {
  const code = error !== null && typeof error === 'object' ? error.code : undefined;
  if (code === 'ERR_IMPORT_DENIED') return IMPORT_DENIED;
  if (code === 'ERR_POLICY_VIOLATION') return POLICY_VIOLATION;
  // The engine's answer to import() in code that was given no loader for it.
  if (typeof code === 'string' && apply(includes, code, ['ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING'])) {
    error.stack = apply(replace, error.stack, [error.message, 'import() is blocked: use require']);
    return IMPORT_DENIED;
  }
  return 0;
}

// reportUncaught puts the reserved status in the place of the engine's 1. The
// engine prints what nobody caught, except for errors of the policy, beside
// which it would show a line of the harness.
function reportUncaught(restricted) {
  let uncaught = false;
  process.on('uncaughtExceptionMonitor', (error) => {
    uncaught = true;
    const status = restricted ? policyStatus(error) : 0;
    strip(error);
    if (status !== 0 && process.listenerCount('uncaughtException') === 0) {
      fs.writeSync(2, `${error.stack}\n\nNode.js ${process.version}\n`);
      process.exit(status);
    }
  });
  process.on('exit', (code) => {
    if (code === 1 && uncaught) process.exitCode = EXCEPTION;
  });
}

// muteLoaderWarning drops the one warning that import() causes because the
// harness compiles the program, where a bare run has none.
function muteLoaderWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = function (warning, ...rest) {
    if (/^vm\.USE_MAIN_CONTEXT_DEFAULT_LOADER/.test(warning)) {
      process.emitWarning = emitWarning;
      return;
    }
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
}

// countMemory answers process.memoryUsage where there is no /proc to read the
// resident size from: it gives the largest that the process has had.
function countMemory() {
  define(process, 'memoryUsage', Object.assign(() => {
    const heap = require('v8').getHeapStatistics();
    return {
      rss: process.resourceUsage().maxRSS * 1024, heapTotal: heap.total_heap_size,
      heapUsed: heap.used_heap_size, external: heap.external_memory, arrayBuffers: 0,
    };
  }, { rss: () => process.resourceUsage().maxRSS * 1024 }));
}

// prepare makes the main module and what the program sees of its process.
function prepare(job) {
  const main = new Module('.', null);
  main.filename = PATH;
  main.path = DIR;
  main.paths = Module._nodeModulePaths(DIR);
  process.argv = [process.execPath, PATH];
  process.mainModule = main;
  countMemory();
  delete Module._cache[__filename];
  let require_;
  if (job.restricted) {
    require_ = makeRequire(job.imports, job.blocked, main);
    define(main, 'require', require_);
    reduceGlobals(job.names);
  } else {
    Module._cache[PATH] = main;
    require_ = Module.createRequire(PATH);
    muteLoaderWarning();
  }
  reportUncaught(job.restricted);
  return [main.exports, require_, main, PATH, DIR];
}

// directConsole lets console write to the pipes itself. The engine's own makes
// process.stdout first, a socket with all its modules, which is a third of the
// time of a short program.
function directConsole() {
  const { writeSync } = fs; // of before the program
  const { from } = Buffer;
  // Once the program has named the stream, the stream writes for console too:
  // it queues and makes the pipe non-blocking, and a program may replace its
  // write to see what console prints.
  const writer = (name, fd) => {
    const { get } = Object.getOwnPropertyDescriptor(process, name);
    let stream;
    Object.defineProperty(process, name, {
      configurable: true, enumerable: true,
      get() { return stream ??= get.call(process); },
    });
    return {
      write(text) {
        if (stream) { stream.write(text); return; }
        const data = from(text);
        for (let at = 0; at < data.length;) at += writeSync(fd, data, at);
      },
    };
  };
  const direct = new console.Console({
    stdout: writer('stdout', 1), stderr: writer('stderr', 2), ignoreErrors: false,
    colorMode: false, // to ask whether a pipe has colours would make process.stderr
  });
  for (const name of Object.keys(direct)) {
    if (typeof direct[name] === 'function') define(console, name, direct[name]);
  }
}

// warm does once what most programs cause the engine to do for the first time,
// while the daemon looks at the jail.
function warm() {
  compile('', undefined);
  limitedProcess();
  directConsole();
}

function takeJob() {
  const listener = lockDown();
  send('R', number(listener));
  receive('K');
  fs.closeSync(listener);
  send('B');
  warm();
  const [version, level, imports, blocked, names, code] = strings(receive('J'));
  if (version !== '1' || code === undefined || !/^(un)?restricted$/.test(level)) {
    throw new Error(`unknown job version ${version} or level ${level}`);
  }
  const restricted = level === 'restricted';
  let program;
  try {
    program = compile(code.replace(/^\ufeff/, ''),
      restricted ? undefined : vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER);
  } catch (error) {
    const [line, column, message] = describe(error);
    send('S', number(line), number(column), text(message));
    return undefined;
  }
  const values = prepare({ restricted, imports, blocked, names });
  send('A');
  fs.closeSync(JOB_SOCKET);
  return () => Reflect.apply(program, values[0], values);
}

function start() {
  let run;
  try {
    run = takeJob();
  } catch (error) {
    send('F', text(`${error.name}: ${error.message} ${error.code ?? ''}`));
    process.exit(1);
  }
  if (run) run();
}

start();
