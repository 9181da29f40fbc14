
// Doors that a program could open in the engine's own code, which shares its
// realm and works on its objects.

const { DOMException: OwnDOMException } = globalThis;

function closeDoors() {
  pinProcess();
  plainStreams();
  closeDeserializer();
  closeLoading();
  delete EventEmitter.EventEmitterAsyncResource; // leads to async_hooks
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
  process.setMaxListeners(0); // the limit of all emitters is the program's to set
  define(process, 'env', { __proto__: null, ...process.env }); // the engine asks it for names that it may not have
  define(methods, 'emit', emit);
  define(methods, 'listenerCount', (name) => apply(listenerCount, process, [name]) + heardBy(name));
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
  const called = call(process._events[name], values);
  return hear(name, values[0], values[1]) || called;
}

function call(listeners, values) {
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
  messaging[name](refuseClone);
}

const NATURAL = set(Object.getOwnPropertyNames(Object.prototype));
const { getOwnPropertyNames } = Object;

// clean calls what makes objects of options, with nothing added to the prototype
// of all objects that could be read as one. A method that cannot be taken away is
// no option that leads anywhere.
function clean(call) {
  const names = getOwnPropertyNames(Object.prototype), added = { __proto__: null };
  try {
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (NATURAL[name]) continue;
      const own = { __proto__: null, ...getOwnPropertyDescriptor(Object.prototype, name) };
      if (own.configurable) {
        added[name] = own;
        delete Object.prototype[name];
      } else if (typeof own.value !== 'function') {
        throw denied('ERR_POLICY_VIOLATION', `with Object.prototype.${name} set for good no module can be loaded`);
      }
    }
    return call();
  } finally {
    for (const name in added) defineProperty(Object.prototype, name, added[name]);
  }
}

// closeLoading has Node load its own modules cleanly, and takes from their
// classes the methods by which they are sent to other threads: those give the
// handles behind the objects, and message ports.
function closeLoading() {
  const BuiltinModule = internal('internal/modules/helpers').loadBuiltinModule('fs').constructor;
  const { compileForInternalLoader } = BuiltinModule.prototype;
  define(BuiltinModule.prototype, 'compileForInternalLoader', function (...values) {
    if (this.loaded || this.loading) return apply(compileForInternalLoader, this, values);
    const made = clean(() => apply(compileForInternalLoader, this, values));
    keepHere(made);
    return made;
  });
  for (const id of ['abort_controller', 'blob', 'webstreams/readablestream', 'webstreams/writablestream', 'webstreams/transformstream']) {
    const module = BuiltinModule.map.get(`internal/${id}`);
    if (module?.loaded) keepHere(module.exports);
  }
}

const SENDING = internalBinding('symbols');
const SENDERS = Object.keys(SENDING).filter((name) => /^messaging_.*_symbol$/.test(name));

function keepHere(made) {
  if (made === null || typeof made !== 'object') return;
  const names = getOwnPropertyNames(made);
  for (let i = 0; i < names.length; i++) {
    const { value } = { __proto__: null, ...getOwnPropertyDescriptor(made, names[i]) };
    const prototype = typeof value === 'function' ? getOwnPropertyDescriptor(value, 'prototype')?.value : undefined;
    if (prototype === null || typeof prototype !== 'object') continue;
    for (let j = 0; j < SENDERS.length; j++) {
      const symbol = SENDING[SENDERS[j]];
      if (hasOwn(prototype, symbol)) define(prototype, symbol, refuseClone);
    }
  }
}

function refuseClone() {
  throw new OwnDOMException('objects of this class cannot be cloned here', 'DataCloneError');
}
