
// Parsing, by the copy of acorn that Node itself carries: it needs no file in
// the image, and knows what this engine knows.

let parser;

function acorn() {
  return parser ??= internal('internal/deps/acorn/acorn/dist/acorn');
}

// unoptimized keeps the engine from making fast code of a parser that runs once:
// that takes longer than the parsing. What is fast already stays so. Modules are
// loaded before it, since under other flags the engine compiles them anew.
function unoptimized(call) {
  const { setFlagsFromString } = internalBinding('v8');
  setFlagsFromString('--no-opt');
  try {
    return call();
  } finally {
    setFlagsFromString('--opt');
  }
}

const OPTIONS = { ecmaVersion: 'latest', allowReturnOutsideFunction: true };
const SCRIPT = { sourceType: 'script' };
const AWAITING = { sourceType: 'script', allowAwaitOutsideFunction: true };
const MODULE = { sourceType: 'module' };
const LOOKS_LIKE_A_MODULE = /^[ \t]*(?:import\b(?!\s*\()|export\b)/m;

// parse gives the survey of a program's tree, or throws Invalid: in the engine's
// words, which takes the text or not by itself, and in the parser's where only
// that one objects.
function parse(code) {
  let failure;
  const module = LOOKS_LIKE_A_MODULE.test(code);
  for (const form of module ? [MODULE, SCRIPT, AWAITING] : [SCRIPT, AWAITING, MODULE]) {
    try {
      return survey(acorn().parse(code, { ...OPTIONS, ...form }));
    } catch (error) {
      failure ??= error;
    }
  }
  try {
    compile(code);
  } catch (error) {
    throw describe(error);
  }
  const { line, column, message } = describeParser(failure, code);
  throw new Invalid(line, column, message.startsWith(TOO_DEEP) ? message
    : `this syntax is newer than the parser of the import policy: ${message}`);
}
