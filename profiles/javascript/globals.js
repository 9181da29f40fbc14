
// Globals of a restricted program: those of the language and the harmless ones
// of Node. What a later version adds is not there until somebody looked at it.

const GLOBALS = set(`AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean
  DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity
  Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError
  Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array
  Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape
  AbortController AbortSignal Blob BroadcastChannel Buffer ByteLengthQueuingStrategy CloseEvent CompressionStream
  CountQueuingStrategy Crypto CryptoKey CustomEvent DOMException DecompressionStream Event EventSource EventTarget File
  FormData Headers MessageChannel MessageEvent MessagePort Navigator Performance PerformanceEntry PerformanceMark
  PerformanceMeasure PerformanceObserver PerformanceObserverEntryList PerformanceResourceTiming
  ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
  ReadableStreamDefaultController ReadableStreamDefaultReader Request Response SubtleCrypto TextDecoder
  TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController URL
  URLSearchParams WebSocket WritableStream WritableStreamDefaultController WritableStreamDefaultWriter atob btoa
  clearImmediate clearInterval clearTimeout console crypto fetch global navigator performance process queueMicrotask
  setImmediate setInterval setTimeout structuredClone`.split(/\s+/));

function reduceGlobals(policy) {
  const blocked = { __proto__: null, ...policy.names };
  define(globalThis, 'console', programConsole());
  define(globalThis, 'process', programProcess());
  defineProperty(globalThis, 'performance', {
    __proto__: null, configurable: true, enumerable: true, get: programPerformance,
    set: (value) => define(globalThis, 'performance', value),
  });
  if (blocked.eval || blocked.Function) {
    refuseCodeFromStrings();
    blocked.eval = blocked.Function = false; // their place is taken
  }
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (blocked[name] || !GLOBALS[name]) delete globalThis[name];
  }
}

// refuseCodeFromStrings puts functions that throw in the place of eval and of
// the four constructors of functions.
function refuseCodeFromStrings() {
  define(globalThis, 'eval', refused('eval', 'Function'));
  let base;
  for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    const prototype = Object.getPrototypeOf(sample);
    const { name } = prototype.constructor;
    const constructor = refused(name, 'Function');
    // instanceof keeps working
    defineProperty(constructor, 'prototype', { __proto__: null, value: prototype, writable: false });
    define(prototype, 'constructor', constructor);
    if (name === 'Function') define(globalThis, name, base = constructor);
    else Object.setPrototypeOf(constructor, base);
  }
}

// refused is a function of a name that throws.
function refused(name, like) {
  const refuse = function () {
    throw denied('ERR_POLICY_VIOLATION', `${name} is blocked${instead(name) || instead(like)}`);
  };
  define(refuse, 'name', name);
  return refuse;
}

const MEASURING = ['now', 'mark', 'measure', 'clearMarks', 'clearMeasures', 'getEntries', 'getEntriesByName', 'getEntriesByType'];
const ENTRIES = ['PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure'];
let measures;

// programPerformance measures; the real one also watches the engine.
function programPerformance() {
  if (measures === undefined) {
    const hooks = clean(() => internal('perf_hooks'));
    const { performance } = hooks;
    // Marks and measures lead to classes that observe.
    for (let i = 0; i < ENTRIES.length; i++) define(hooks[ENTRIES[i]].prototype, 'constructor', refused(ENTRIES[i]));
    measures = { timeOrigin: performance.timeOrigin };
    for (let i = 0; i < MEASURING.length; i++) {
      const name = MEASURING[i];
      define(measures, name, (...values) => apply(performance[name], performance, values));
    }
  }
  return measures;
}
