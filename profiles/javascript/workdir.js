
// The module workdir: how a program that has no fs reads and writes the files of
// its working directory, its input, its arguments and its variables. No
// descriptor and nothing of fs leaves it.

const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = fs.constants;
const { closeSync, fstatSync, lstatSync, mkdirSync, openSync, readSync, readdirSync, unlinkSync } = fs;
const { isView } = ArrayBuffer;
const { sort } = Array.prototype;
const { startsWith } = String.prototype;
const { utf8Slice } = Buffer.prototype;
const { set: setBytes, slice: sliceBytes } = Uint8Array.prototype;
const { Uint8Array: Bytes, TypeError: WrongType, Error: AnyError } = globalThis;
const { cwd } = process;
const KIND = 0o170000, DIRECTORY = 0o040000, REGULAR = 0o100000; // of a mode

const made = new WeakSet(); // the errors of this module
const { add: remember, has: wasMade } = WeakSet.prototype;

let helper;

function workdir() {
  return helper ??= { args: [], env: {}, readText, readBytes, writeText, writeBytes, listFiles, remove, stdin };
}

// inside gives the names that a path is made of, as one path from the working
// directory.
function inside(path) {
  if (typeof path !== 'string') throw wrongType('path', 'string');
  const here = `${apply(cwd, process, [])}/`;
  const inner = apply(startsWith, path, [here]) ? apply(slice, path, [here.length]) : path;
  const parts = apply(split, inner, ['/']);
  let found = '', out = inner[0] === '/';
  for (let i = 0; i < parts.length; i++) {
    if (parts[i] === '..') out = true;
    if (parts[i] !== '' && parts[i] !== '.') found += `${found && '/'}${parts[i]}`;
  }
  if (out) throw systemError('EPERM', `a program has the files of its working directory only, by relative paths, open '${path}'`, path);
  if (found === '') throw systemError('EISDIR', `illegal operation on a directory, open '${path}'`, path);
  return found;
}

function wrongType(name, kind) {
  const error = new WrongType(`The "${name}" argument must be a ${kind}`);
  define(error, 'code', 'ERR_INVALID_ARG_TYPE');
  apply(remember, made, [error]);
  return error;
}

function systemError(code, message, path) {
  const error = new AnyError(`${code}: ${message}`);
  define(error, 'code', code);
  define(error, 'syscall', 'open');
  define(error, 'path', path);
  apply(remember, made, [error]);
  return error;
}

// readBytes gives the content of a file of the working directory.
function readBytes(path) {
  const fd = openSync(inside(path), O_RDONLY | O_NOFOLLOW);
  try {
    return readRest(fd);
  } finally {
    closeSync(fd);
  }
}

// readText does so as text, of UTF-8.
function readText(path) {
  return textOf(readBytes(path));
}

const textOf = (bytes) => apply(utf8Slice, bytes, [0, bytes.length]);

function readRest(fd) {
  let data = new Bytes(fstatSync(fd).size + 1), size = 0; // one more, to see the end
  for (;;) {
    if (size === data.length) {
      const more = new Bytes(size * 2);
      apply(setBytes, more, [data]);
      data = more;
    }
    const count = readSync(fd, data, size, data.length - size, null);
    if (count === 0) return apply(sliceBytes, data, [0, size]);
    size += count;
  }
}

// writeBytes makes or replaces a file, and the directories that lead to it.
function writeBytes(path, data) {
  if (!isView(data)) throw wrongType('data', 'Uint8Array or another view of bytes');
  writeFile(path, new Bytes(data.buffer, data.byteOffset, data.byteLength));
}

function writeText(path, text) {
  if (typeof text !== 'string') throw wrongType('text', 'string');
  writeFile(path, text);
}

function writeFile(path, data) {
  const file = inside(path);
  for (let at = apply(indexOf, file, ['/']); at >= 0; at = apply(indexOf, file, ['/', at + 1])) {
    makeDirectory(apply(slice, file, [0, at]));
  }
  const fd = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o666);
  try {
    writeAll(fd, data);
  } finally {
    closeSync(fd);
  }
}

// listFiles gives the paths of all files of the working directory and below it,
// sorted.
function listFiles() {
  const found = [], todo = { __proto__: null, 0: '' };
  for (let at = 0, count = 1; at < count; at++) {
    const names = readdirSync(todo[at] || '.');
    for (let i = 0; i < names.length; i++) {
      const path = `${todo[at]}${todo[at] && '/'}${names[i]}`, kind = lstatSync(path).mode & KIND;
      if (kind === DIRECTORY) todo[count++] = path;
      else if (kind === REGULAR) found[found.length] = path;
    }
  }
  return apply(sort, found, []);
}

// remove removes a file.
function remove(path) {
  unlinkSync(inside(path));
}

// stdin gives all of the input that has not been read yet.
function stdin() {
  return textOf(readRest(0));
}
