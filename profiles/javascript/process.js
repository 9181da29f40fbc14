
// process as restricted programs see it: arguments, clocks, standard streams,
// exit and its events. No bindings, signals, ids, reports or loaders, and no
// object that leads to the real one.

const EVENTS = set(['beforeExit', 'exit', 'rejectionHandled', 'uncaughtException', 'unhandledRejection', 'warning']);
const { listenerCount } = EventEmitter.prototype;

let program;

function programProcess() {
  return program ??= makeProcess();
}

function makeProcess() {
  const own = process;
  const call = (name) => (...values) => apply(own[name], own, values);
  const mine = {
    __proto__: EventEmitter.prototype,
    title: 'node', version: own.version, versions: { ...own.versions },
    arch: own.arch, platform: own.platform, release: { name: 'node' }, pid: own.pid, ppid: own.ppid, env: {},
    argv: [own.execPath, PATH], argv0: 'node', execArgv: [], execPath: own.execPath,
    hrtime: call('hrtime'),
    memoryUsage: memoryUsage(own),
    get stdout() { return standardStream('stdout'); },
    get stderr() { return standardStream('stderr'); },
    get stdin() { return standardStream('stdin'); },
    get exitCode() { return own.exitCode; },
    set exitCode(code) { own.exitCode = code; },
  };
  defineProperty(mine, Symbol.toStringTag, { __proto__: null, value: 'process', configurable: true });
  for (const name of ['cpuUsage', 'cwd', 'emitWarning', 'exit', 'nextTick', 'resourceUsage', 'uptime']) mine[name] = call(name);
  mine.hrtime.bigint = () => own.hrtime.bigint();
  apply(EventEmitter, mine, []);
  return mine;
}

const heardBy = (name) => (EVENTS[name] ? apply(listenerCount, program, [name]) : 0);

// hear tells the program's listeners of an event of the real process, and says
// whether there are any. None of theirs is ever on the real one: Node's warning
// of too many would carry it.
function hear(name, first, second) {
  if (heardBy(name) === 0) return false;
  if (name === 'warning' && first?.emitter === process) define(first, 'emitter', program);
  program.emit(name, first, second);
  return true;
}

function processNames() {
  const mine = programProcess();
  return [...Object.getOwnPropertyNames(mine), ...Object.getOwnPropertyNames(EventEmitter.prototype), ...Object.getOwnPropertyNames(Object.prototype)];
}

// memoryUsage counts where there is no /proc to read the resident size from: it
// gives the largest that the process has had.
function memoryUsage(own) {
  const usage = () => {
    const heap = internal('v8').getHeapStatistics();
    return {
      rss: own.resourceUsage().maxRSS * 1024, heapTotal: heap.total_heap_size,
      heapUsed: heap.used_heap_size, external: heap.external_memory, arrayBuffers: 0,
    };
  };
  usage.rss = () => own.resourceUsage().maxRSS * 1024;
  return usage;
}
