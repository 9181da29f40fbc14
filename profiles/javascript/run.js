
// From the job to the program's first byte.

// build makes the program's function or module, or says why not: it gives
// violations, or throws Invalid. Where nothing in the text asks for it, no tree
// is made.
function build({ code, check }, policy) {
  const loader = policy ? importer(policy) : hasWord(code, 'workdir') ? importReally : vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  let made;
  if (!(policy && isSuspect(code, policy)) && !(check && (code.includes('\\') || hasWord(code, 'require') || hasImportCall(code)))) {
    made = compiled(code, loader);
    const names = made.module?.dependencySpecifiers ?? [];
    if (!policy || !names.some((name) => isRefused(code, policy, name))) return { ...made, imports: sorted(names) };
  }
  acorn();
  const { found, list } = unoptimized(() => {
    const found = parse(code);
    return { found, list: policy ? violations(found, policy) : [] };
  });
  if (list.length > 0) return { violations: list };
  return { ...made ?? compiled(code, loader), imports: importsOf(found) };
}

function compiled(...values) {
  try {
    return compile(...values);
  } catch (error) {
    throw describe(error);
  }
}

// realMain makes the main module of an unrestricted program, which is a real one.
function realMain() {
  const Module = internal('module');
  const main = new Module('.', null);
  main.filename = PATH;
  main.path = DIR;
  main.paths = Module._nodeModulePaths(DIR);
  process.mainModule = Module._cache[PATH] = main;
  return main;
}

// plainMain makes one that has what programs read, and no loader behind it.
function plainMain() {
  const main = new class Module {}();
  return Object.assign(main, {
    id: '.', path: DIR, exports: {}, filename: PATH, loaded: false, children: [],
    paths: [`${DIR}/node_modules`, '/node_modules'], parent: null,
  });
}

// importReally imports for an unrestricted program, whose file is not there.
function importReally(specifier) {
  if (specifier === 'workdir') return namespace('workdir');
  return import(/^(?:\.{1,2}(?:[/]|$)|[/])/.test(specifier) ? new URL(specifier, `file://${PATH}`).href : specifier);
}

async function linkReally(specifier) {
  const real = await importReally(specifier);
  return quietly(() => new vm.SyntheticModule(Object.keys(real), function () {
    for (const name of Object.keys(real)) this.setExport(name, real[name]);
  }, { identifier: specifier }));
}

// prepare makes what the program sees, none of which depends on its text. It
// gives the main module, require, and what links import statements.
function prepare(policy) {
  delete internal.cache[__filename];
  process.argv = [process.execPath, PATH];
  reportUncaught(policy !== undefined);
  if (policy) {
    const main = plainMain();
    const require = guard(policy, main);
    define(main, 'require', require);
    reduceGlobals(policy);
    closeDoors();
    return { main, require, linker: (specifier) => linked(bare(specifier)) };
  }
  directConsole();
  define(process, 'memoryUsage', memoryUsage(process));
  muteLoaderWarning();
  return { main: realMain(), require: requireReally(), linker: linkReally };
}

// requireReally knows workdir too, in whatever file of the program it is asked for.
function requireReally() {
  const Module = internal('module'), { _load } = Module;
  Module._load = (...values) => (values[0] === 'workdir' ? workdir() : apply(_load, Module, values));
  return Module.createRequire(PATH);
}

// link binds a restricted module's import statements; a name that a module does
// not export is an error in the program's text.
async function link(module, linker) {
  try {
    await module.link(linker);
  } catch (error) {
    throw error instanceof SyntaxError ? describe(error) : error;
  }
}

// linkLate does so for an unrestricted one, after the answer: what it imports may
// be code of its own.
async function linkLate(module, linker) {
  try {
    await module.link(linker);
  } catch (error) {
    const ours = `imported from ${__filename}`; // frames of it are taken out later
    error.stack = error.stack.replace(ours, `imported from ${PATH}`);
    throw error;
  }
}

// awaitTop begins a program that may await at its top. Where such an await never
// settles it gives the status and the line of a bare run, unless the program has set
// a status or called exit. A listener would be too late for that: what those of the
// program are told is fixed before the first is called.
function awaitTop(begin) {
  const { emit, exit } = process;
  let top;
  process.exit = (...values) => {
    top = undefined;
    return apply(exit, process, values);
  };
  define(process, 'emit', (...values) => {
    const ends = values[0] === 'exit' && process._exiting !== false; // and is no event of the program's own making
    if (!ends || top === undefined || getPromiseDetails(top)[0] !== PENDING) return apply(emit, process, values);
    process.exitCode ??= values[1] = UNSETTLED;
    const heard = apply(emit, process, values);
    if (process.exitCode === UNSETTLED) process._rawDebug(`Warning: Detected unsettled top-level await at ${PATH}`);
    return heard;
  });
  top = begin();
}

// warm does once what most programs cause the engine to do for the first time,
// while the daemon looks at the jail.
function warm() {
  compile('');
  programProcess();
  programConsole();
}

// lockDown loads the filter, gives its listener to the daemon, and gives the
// level that the daemon promises of the job to come, if it does.
function lockDown(filter) {
  const listener = shim.lockdown(filter);
  send('R', number(listener));
  const promised = receive('K');
  fs.closeSync(listener);
  return promised;
}

function accept() {
  send('A');
  fs.closeSync(JOB_SOCKET);
}

// take does a job up to its end, or up to what the program leaves to the event
// loop.
function take(job, { policy, prepared }) {
  if (!job.check && job.given.length > 0) layOut(job.given);
  const built = build(job, policy);
  if (built.violations) {
    const at = placer(job.code);
    send('V', ...built.violations.flatMap(({ start, rule, name, message }) =>
      [...at(start).map(number), text(rule), text(name), text(message)]));
  } else if (job.check) {
    const listed = built.imports.filter((name) => Buffer.byteLength(name) <= MAX_IMPORT).slice(0, MAX_IMPORTS);
    send('C', number(built.imports.length), ...listed.map(text));
  } else {
    const { main, require, linker } = prepared ?? prepare(policy);
    if (job.given.length > 0) handOver(job.given, policy);
    const { module } = built;
    if (module && policy) {
      link(module, linker).then(() => { accept(); awaitTop(() => module.evaluate()); }).catch(refuse);
      return undefined;
    }
    accept();
    if (module) return () => { awaitTop(() => linkLate(module, linker).then(() => module.evaluate())); };
    const call = () => apply(built.code, main.exports, [main.exports, require, main, PATH, DIR]);
    return built.awaits ? () => { awaitTop(call); } : call;
  }
  return undefined;
}

// refuse answers what is no program, or that something of ours went wrong.
function refuse(error) {
  if (error instanceof Invalid) {
    send('S', number(error.line), number(error.column), text(error.message));
    return;
  }
  send('F', text(`${error.name}: ${error.message} ${error.code ?? ''}`));
  process.exit(1);
}

let shim;

function start() {
  let run;
  try {
    shim = internal(`${__dirname}/safe_exec.node`);
    const filter = fs.readFileSync(`${__dirname}/steady.bpf`);
    const ready = process.argv[2] === 'template' ? forked() : undefined;
    run = next(filter, ready);
  } catch (error) {
    refuse(error);
  }
  if (run) run();
}

// next goes from the lock-down to the program's first byte.
function next(filter, made) {
  const promised = lockDown(filter);
  const ready = made ?? (promised.length > 0 ? makeReady(readJob(promised)) : undefined);
  send('B');
  if (!ready) warm();
  const job = readJob(receive('J'));
  endFast();
  if (!ready) return take(job, { policy: makePolicy(job.level) });
  claim(ready, job);
  return take(job, ready);
}

start();
