
// console writes to the descriptors itself. The engine's own makes
// process.stdout first, a socket with all its modules, which is a third of the
// time of a short program.

function makeConsole(stdout, stderr) {
  return new console.Console({
    stdout, stderr, ignoreErrors: false,
    colorMode: false, // to ask whether a pipe has colours would make process.stderr
  });
}

// directConsole gives the real console those methods. Once an unrestricted
// program has named a stream, that writes: it queues and makes the pipe
// non-blocking.
function directConsole() {
  const writer = (name, fd) => {
    const { get } = getOwnPropertyDescriptor(process, name);
    let stream;
    defineProperty(process, name, {
      __proto__: null, configurable: true, enumerable: true,
      get() { return stream ??= apply(get, process, []); },
    });
    return { write(text) { if (stream) stream.write(text); else writeAll(fd, text); } };
  };
  const direct = makeConsole(writer('stdout', 1), writer('stderr', 2));
  for (const name of Object.keys(direct)) {
    if (typeof direct[name] === 'function') define(console, name, direct[name]);
  }
}

// programConsole is a console of a restricted program's own: the real one has
// the real streams.
function programConsole() {
  const mine = makeConsole(sink('stdout', 1), sink('stderr', 2));
  define(mine, 'Console', console.Console);
  for (const name of ['profile', 'profileEnd', 'timeStamp']) mine[name] = () => {}; // there is no inspector
  defineProperty(mine, Symbol.toStringTag, { __proto__: null, value: 'console', configurable: true });
  return mine;
}
