
// What is said of an uncaught error. It runs after the program.

// strip takes the harness's frames out of an error's stack, and says whether the
// error was thrown in one of them.
function strip(error) {
  let ours = false;
  try {
    const lines = apply(split, error.stack, ['\n']);
    let kept = lines[0], first = true;
    for (let i = 1; i < lines.length; i++) {
      const frame = apply(slice, lines[i], [0, 7]) === '    at ';
      const harness = frame && (isIn(lines[i], __filename) || isIn(lines[i], `${PATH}:0`));
      if (first && frame && !apply(includes, lines[i], ['(node:'])) {
        ours = harness;
        first = false;
      }
      if (!harness) kept += `\n${lines[i]}`;
    }
    error.stack = kept;
  } catch {
    // Not an error with a stack, or one that does not want to be written to.
  }
  return ours;
}

// isIn says whether a frame is in a file, not in one whose path ends the same.
function isIn(frame, file) {
  return apply(includes, frame, [` ${file}:`]) || apply(includes, frame, [`(${file}:`]);
}

function policyStatus(error) {
  const code = error !== null && typeof error === 'object' ? error.code : undefined;
  if (code === 'ERR_IMPORT_DENIED') return IMPORT_DENIED;
  if (code === 'ERR_POLICY_VIOLATION') return POLICY_VIOLATION;
  if (typeof code !== 'string') {
    // The engine's own answer, where it was told to make no code from strings.
    return error instanceof EvalError && error.message === 'Code generation from strings disallowed for this context' ? POLICY_VIOLATION : 0;
  }
  return 0;
}

// reportUncaught puts the reserved status in the place of the engine's 1. The
// engine prints what nobody caught, except for errors that the harness threw,
// beside which it would show a line of it.
function reportUncaught(restricted) {
  let uncaught = false;
  process.on('uncaughtExceptionMonitor', (error) => {
    uncaught = true;
    let status = 0;
    try {
      if (restricted) status = policyStatus(error);
    } catch {
      // An error that does not want to be looked at.
    }
    const ours = strip(error) && (restricted || apply(wasMade, made, [error]));
    if ((status !== 0 || ours) && process.listenerCount('uncaughtException') === 0) {
      fs.writeSync(2, `${error.stack}\n\nNode.js ${process.version}\n`);
      process.exit(status || EXCEPTION);
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
    apply(emitWarning, process, [warning, ...rest]);
  };
}
