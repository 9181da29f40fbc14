
// Standard output, error and input of a restricted program: streams over the
// descriptors alone, without the engine's handles and sockets behind them.

const { writeSync } = fs;
const { alloc, from } = Buffer;
const { subarray } = Buffer.prototype;

function writeAll(fd, text) {
  const data = typeof text === 'string' ? from(text) : text;
  for (let at = 0; at < data.length;) at += writeSync(fd, data, at);
}

const streams = { __proto__: null };

function standardStream(name) {
  return streams[name] ??= name === 'stdin' ? input() : output(name === 'stdout' ? 1 : 2);
}

function output(fd) {
  const { Writable } = internal('stream');
  const stream = new Writable({
    __proto__: null,
    write(chunk, encoding, done) {
      let failure = null;
      try {
        writeAll(fd, chunk);
      } catch (error) {
        failure = error;
      }
      done(failure);
    },
  });
  stream.fd = fd;
  return stream;
}

const PART = 1 << 16; // bytes of the input at a time

function input() {
  const { Readable } = internal('stream');
  const stream = new Readable({
    __proto__: null,
    read() {
      let part = null;
      try {
        const data = alloc(PART), count = readSync(0, data, 0, PART, null);
        if (count > 0) part = apply(subarray, data, [0, count]);
      } catch (error) {
        this.destroy(error);
        return;
      }
      this.push(part);
    },
  });
  stream.fd = 0;
  return stream;
}

// sink is what console writes to. Once the program has named the stream, the
// stream writes for console too: a program may replace its write to see what
// console prints.
function sink(name, fd) {
  return { write(text) { if (streams[name]) streams[name].write(text); else writeAll(fd, text); } };
}
