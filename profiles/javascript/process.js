
// process as restricted programs see it: arguments, clocks, standard streams,
// exit and its events. No bindings, signals, ids, reports or loaders, and no
// object that leads to the real one.

const EVENTS = ['beforeExit', 'exit', 'rejectionHandled', 'uncaughtException', 'unhandledRejection', 'warning'];

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
  bridge(mine, own);
  return mine;
}

// bridge lets the program's listeners hear the process's events. The engine
// calls only listeners of ours: a listener is called with the emitter as its
// this.
function bridge(mine, own) {
  const heard = { __proto__: null };
  const { listenerCount } = EventEmitter.prototype;
  const hear = () => {
    for (let i = 0; i < EVENTS.length; i++) {
      const name = EVENTS[i];
      const wanted = apply(listenerCount, mine, [name]) > 0;
      if (wanted && !heard[name]) own.on(name, heard[name] = (first, second) => { mine.emit(name, first, second); });
      if (!wanted && heard[name]) {
        own.removeListener(name, heard[name]);
        heard[name] = undefined;
      }
    }
  };
  for (const name of ['addListener', 'on', 'prependListener', 'off', 'removeListener', 'removeAllListeners']) {
    const method = EventEmitter.prototype[name];
    define(mine, name, (...values) => {
      apply(method, mine, values);
      hear();
      return mine;
    });
  }
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
