
// Compiling, by the engine.

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
// What the engine says of a script that is an ES module, or awaits at its top.
const NO_SCRIPT = /import statement|'import\.meta'|Unexpected token 'export'|^await is only valid/;

// compile makes the program's function or module without running any of it, and
// says of a function whether what it returns is its end, for which it may await.
function compile(code, loader) {
  const options = { filename: PATH, importModuleDynamically: loader };
  let failure, module;
  try {
    return { code: vm.compileFunction(code, PARAMETERS, options) };
  } catch (error) {
    if (!['import', 'export', 'await'].some((word) => hasWord(code, word))) throw error;
    failure = error;
  }
  try {
    module = compileModule(code, loader);
  } catch (error) {
    if (NO_SCRIPT.test(failure.message)) failure = error;
  }
  try {
    // The head stands in a line of its own before the first, so that every place
    // in the program stays what it is.
    const body = vm.compileFunction(`return (async () => {\n${code}\n})()`, PARAMETERS, { ...options, lineOffset: -1 });
    // What is a module is one body and does not end it. What is none, because it
    // is not strict or returns, is parsed to know.
    if (module === undefined) acorn().parse(code, { ...OPTIONS, ...AWAITING });
    return { code: body, awaits: true };
  } catch {
    if (module === undefined) throw failure;
    return { module };
  }
}

// compileModule makes an ES module of a program; neither file names nor a
// package are there to tell what it is.
function compileModule(code, loader) {
  return quietly(() => new vm.SourceTextModule(code, {
    identifier: PATH,
    initializeImportMeta(meta) {
      meta.dirname = DIR;
      meta.filename = PATH;
      meta.url = `file://${PATH}`;
    },
    importModuleDynamically: typeof loader === 'symbol' ? importReally : loader,
  }));
}

// Invalid is a text that is no program, with its place.
class Invalid extends Error {
  constructor(line, column, message) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

// placer gives line and column, both from 1 and the column in characters, of
// places that it is asked for in ascending order.
function placer(code) {
  let at = 0, line = 1, column = 1;
  return (offset) => {
    for (; at < offset; at++) {
      const unit = code.charCodeAt(at);
      if (unit === 0x0a || (unit === 0x0d && code.charCodeAt(at + 1) !== 0x0a) || unit === 0x2028 || unit === 0x2029) {
        line++;
        column = 1;
      } else if (unit < 0xdc00 || unit > 0xdfff) { // the second half of a pair is no character
        column++;
      }
    }
    return [line, column];
  };
}

const TOO_DEEP = 'the program is nested too deeply or too large to parse';

// describe turns the engine's error into line, column in characters, message.
function describe(error) {
  internal('internal/util').decorateErrorStack(error); // of a module's it is not there yet
  // Node puts the place before the stack: file and line, the line, a caret
  // (which is missing where the line holds a NUL).
  const place = /^\/tmp\/program\.js:(\d+)\n([^\n]*)\n([^\n^]*)[\n^]/.exec(error.stack);
  const message = error instanceof SyntaxError ? error.message : `${TOO_DEEP} (${error.message})`;
  if (!place) return new Invalid(1, 1, message);
  return new Invalid(Number(place[1]), [...place[2].slice(0, place[3].length)].length + 1, message);
}

// describeParser does so with the parser's error.
function describeParser(error, code) {
  if (!(error instanceof SyntaxError) || error.pos === undefined) return new Invalid(1, 1, `${TOO_DEEP} (${error.message})`);
  return new Invalid(...placer(code)(error.pos), error.message.replace(/ \(\d+:\d+\)$/, ''));
}
