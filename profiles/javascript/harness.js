'use strict';

// The JavaScript harness: our code in the payload's process, ahead of the
// program. It loads the steady seccomp filter, takes the job from the daemon,
// parses and checks the program, answers, gives up the job socket, and runs the
// program as the main module. The files of this directory are joined to one
// script, in the order that package profiles names. All that does not depend on
// the program's text it can also do beforehand, for jobs of one level, and as a
// template whose forks do the jobs.
//
// It protects nobody by itself: the kernel layers are the boundary. The import
// policy is a courtesy that works twice. The check of the syntax tree refuses
// before anything has run, and names every place; what it cannot see, such as
// names that a program computes, is not there at run time: the program shares
// the engine's one realm, from which the loader, the real process and the making
// of code from strings are taken away.
//
// Functions that run after the program has begun use no method that a program
// can replace: those of before are taken here, and neither spread nor for...of
// is used on them, which would call the program's iterator. Runs on Node 20 and
// later.

const { process, Buffer } = globalThis; // the globals are replaced or taken away for restricted programs
const internal = require; // with --expose-internals; programs get another
const { internalBinding } = quietly(() => internal('internal/test/binding'));

// The engine keeps its own modules compiled for the flags that it was built
// with, and compiles them anew under any other. What these two do was done when
// the heap and the realm were made, so they are set back: every module that is
// loaded from here on is so in a third of the time.
for (const flag of ['--max-old-space-size=0', '--no-disallow-code-generation-from-strings']) {
  internalBinding('v8').setFlagsFromString(flag);
}

const fs = require('fs');
const vm = require('vm');
const EventEmitter = require('events');

const { getPromiseDetails } = internalBinding('util'); // looks without calling a then
const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { hasOwn } = Object;
const { includes, indexOf, slice, split } = String.prototype;

const JOB_SOCKET = 3;
const EXCEPTION = 90, IMPORT_DENIED = 91, POLICY_VIOLATION = 92; // exit statuses
const UNSETTLED = 13; // as Node itself exits when an await at the top never settles
const PENDING = 0; // the engine's number of this state of a promise

const DIR = '/tmp';
const PATH = '/tmp/program.js';

function define(object, name, value) {
  defineProperty(object, name, { __proto__: null, value, configurable: true, writable: true, enumerable: false });
}

function lines(list) {
  return list.split('\n').filter(Boolean);
}

// quietly drops the warning that internal modules are for tests.
function quietly(load) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
