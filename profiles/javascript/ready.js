
// Made ready beforehand: what does not depend on the program's text is there
// before the text is, in a spare that waits for its job, and in a template whose
// forks do.

const ORDERS = 4, PROC = 5; // a template's descriptors
const ROUNDS = 3; // of a template's parser

// makeReady makes everything for one level. With rounds it also parses so often
// that the engine makes fast code of the parser, which pays where many share it.
function makeReady({ level }, rounds = 0) {
  const policy = makePolicy(level);
  const code = fs.readFileSync(__filename, 'utf8'); // has a bit of everything
  for (let round = 0; round < rounds; round++) exercise(code, policy);
  acorn();
  unoptimized(() => exercise(code, policy));
  compile(code);
  compileModule('import "util"');
  warm();
  rehearse(policy);
  const prepared = prepare(policy);
  internal('perf_hooks');
  for (const id in PURE) if (!policy || !refusal(policy, id)) internal(`node:${id}`);
  return { level, policy, prepared };
}

function exercise(code, policy) {
  const found = parse(code);
  importsOf(found);
  placer(code)(code.length);
  if (!policy) return;
  violations(found, policy);
  isSuspect(code, policy);
}

// rehearse does what the way from a job to its end does, as far as nothing of it
// is seen.
function rehearse(policy) {
  const nowhere = { write() {} };
  makeConsole(nowhere, nowhere).log('text', '%s', 1, { list: [1, 'b'], map: new Map([[1, null]]) });
  readJob(Buffer.concat(['3', 'run', 'restricted', '', '', '', '', 'x'].map(text)));
  build({ code: 'console.log(1)', check: false }, policy);
}

// claim holds a job to what was promised, and begins the program's time.
function claim({ level }, job) {
  if (level.some((field, at) => field !== job.level[at])) throw new Error('the job is not of the level that was promised');
  beginTime();
}

// beginTime has the engine's clocks count from now on, as if it had just started.
function beginTime() {
  const origin = shim.setOrigin();
  if (origin === 0) return;
  const { milestones, constants } = internalBinding('performance');
  const at = constants.NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN;
  const stamp = constants.NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN_TIMESTAMP;
  milestones[stamp] += (origin - milestones[at]) / 1000; // microseconds
  milestones[at] = origin;
  for (const name of ['NODE_START', 'V8_START', 'ENVIRONMENT', 'BOOTSTRAP_COMPLETE', 'LOOP_START']) {
    const other = constants[`NODE_PERFORMANCE_MILESTONE_${name}`];
    if (milestones[other] > 0 && milestones[other] < origin) milestones[other] = origin;
  }
}

// forked serves as a template. It returns in a fork, with what the template made
// ready.
function forked() {
  const ready = makeReady(readJob(receive('K')), ROUNDS);
  send('B');
  const own = new Int32Array(2);
  shim.serveForks(ORDERS, PROC, own);
  const [pid, seed] = own;
  // A realm's first random numbers are drawn from the seed and kept for later.
  // Realms that a program makes, where it may, draw from a generator of the
  // engine that forks have in common.
  const { setFlagsFromString } = internalBinding('v8');
  setFlagsFromString(`--random-seed=${seed}`);
  Math.random();
  setFlagsFromString('--random-seed=0');
  defineProperty(process, 'pid', { __proto__: null, ...getOwnPropertyDescriptor(process, 'pid'), value: pid });
  if (program) Object.assign(program, { pid, ppid: process.ppid });
  process.execArgv = process.execArgv.filter((flag) => !flag.startsWith('--v8-pool-size'));
  return ready;
}

// endFast has the process end where the engine would take itself apart.
function endFast() {
  const { privateSymbols } = internalBinding('util');
  shim.endFast(process[privateSymbols.exit_info_private_symbol]);
}
