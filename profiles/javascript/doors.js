
// Doors that a program could open in the engine's own code, which shares its
// realm and works on its objects.

const { DOMException: OwnDOMException } = globalThis;

function closeDoors() {
  pinProcess();
  plainStreams();
  closeDeserializer();
}

// pinProcess gives the real process methods of its own. With those that it
// inherits, a program that replaces EventEmitter.prototype.emit, or
// Function.prototype.apply, by which that calls listeners, is called with the
// real process.
function pinProcess() {
  const methods = { __proto__: null };
  for (let from = Object.getPrototypeOf(process); from !== null; from = Object.getPrototypeOf(from)) {
    for (const name of ownKeys(from)) {
      if (!(name in methods)) defineProperty(methods, name, { __proto__: null, ...getOwnPropertyDescriptor(from, name) });
    }
  }
  define(methods, 'emit', emit);
  define(methods, 'once', (name, listener) => {
    const once = (...values) => {
      process.removeListener(name, once);
      apply(listener, process, values);
    };
    return process.on(name, once);
  });
  Object.setPrototypeOf(process, methods);
}

function emit(name, ...values) {
  const listeners = process._events[name];
  if (listeners === undefined) return false;
  if (typeof listeners === 'function') {
    apply(listeners, process, values);
    return true;
  }
  const now = { __proto__: null, length: listeners.length }; // a listener may take itself away
  for (let i = 0; i < now.length; i++) now[i] = listeners[i];
  for (let i = 0; i < now.length; i++) apply(now[i], process, values);
  return true;
}

// plainStreams keeps the engine from making sockets for what it prints itself,
// such as warnings: it calls methods of theirs that a program can replace.
function plainStreams() {
  for (const name of ['stdout', 'stderr', 'stdin']) {
    defineProperty(process, name, { __proto__: null, configurable: true, enumerable: true, get: () => standardStream(name) });
  }
}

// closeDeserializer makes structuredClone refuse objects that bring their own
// way to be cloned. They name an internal module and a class in it to be made
// again, and the method that says which is found on Blob.prototype: a program's
// own object can name any.
function closeDeserializer() {
  const messaging = internalBinding('messaging');
  const name = Object.keys(messaging).find((key) => /^setDeserializerCreate/.test(key));
  if (name === undefined) { // an engine that nobody looked at
    delete globalThis.structuredClone;
    return;
  }
  messaging[name](() => {
    throw new OwnDOMException('objects of this class cannot be cloned here', 'DataCloneError');
  });
}
