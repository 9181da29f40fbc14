
// The job socket: package wire has the frames.

const MAX_MESSAGE = 4 << 20; // bytes
const MAX_TEXT = 500; // UTF-16 units of any one text, so that 100 violations stay below the daemon's bound
const MAX_VIOLATIONS = 100;
const MAX_IMPORTS = 1000, MAX_IMPORT = 500; // names that are listed, and bytes of each

function number(value) {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function text(value) {
  const data = Buffer.from(value.slice(0, MAX_TEXT));
  return Buffer.concat([number(data.length), data]);
}

function send(kind, ...parts) {
  const payload = Buffer.concat(parts);
  const data = Buffer.concat([Buffer.from(kind), number(payload.length), payload]);
  for (let at = 0; at < data.length;) at += fs.writeSync(JOB_SOCKET, data, at);
}

function read(size) {
  const data = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    const count = fs.readSync(JOB_SOCKET, data, at, size - at, null);
    if (count === 0) throw new Error('the job socket ended inside a frame');
    at += count;
  }
  return data;
}

function receive(kind) {
  const header = read(5);
  const size = header.readUInt32LE(1);
  if (header[0] !== kind.charCodeAt(0) || size > MAX_MESSAGE) {
    throw new Error(`expected frame ${kind}, got ${header.toString('hex')}`);
  }
  return read(size);
}

// strings gives those of a payload, as bytes: not all are text.
function strings(payload) {
  const found = [];
  for (let at = 0; at < payload.length;) {
    const end = at + 4 + payload.readUInt32LE(at);
    if (end > payload.length) throw new Error('a string of the job is cut short');
    found.push(payload.subarray(at + 4, end));
    at = end;
  }
  return found;
}

const JOB_FIELDS = 8;

// readJob gives what a job says: the fields of its level, its mode, its text, and
// what the program gets beside it.
function readJob(payload) {
  const all = strings(payload), rest = all.slice(JOB_FIELDS);
  const fields = all.slice(0, JOB_FIELDS).map((field) => field.toString());
  const [version, mode, level, , , , , code] = fields;
  if (version !== '3' || code === undefined || rest.length % 3 !== 0 || !/^(run|check)$/.test(mode) || !/^(un)?restricted$/.test(level)) {
    throw new Error(`unknown job version ${version}, mode ${mode}, level ${level} or ${all.length} fields`);
  }
  const given = [];
  for (let at = 0; at < rest.length; at += 3) given.push({ kind: rest[at].toString(), name: rest[at + 1].toString(), content: rest[at + 2] });
  return { level: fields.slice(2, 7), check: mode === 'check', code: code.replace(/^\ufeff/, ''), given };
}
