
// What a program gets beside its text: files, an input, arguments, variables. It
// is in its place before any of the text is looked at. Nobody else has been in
// the working directory, so there are no links to be careful of; that it all fits
// has been seen to by who sent it.

const STDIN = '.stdin';

// layOut writes the files, and puts the input onto descriptor 0. The input comes
// first: its file has a name for a moment, which one of the others may have for
// good.
function layOut(given) {
  for (const { kind, name, content } of given) {
    if (kind === 'stdin') {
      writeNew(STDIN, content, 0o600);
      fs.closeSync(0); // the next one to be opened is 0 again
      if (fs.openSync(STDIN, 'r') !== 0) throw new Error('the input is not descriptor 0');
      fs.unlinkSync(STDIN);
    } else if (kind === 'file') {
      for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) makeDirectory(name.slice(0, at), 0o755);
      writeNew(name, content, 0o644);
    } else if (kind !== 'arg' && kind !== 'env') {
      throw new Error(`unknown kind ${kind} of input`);
    }
  }
}

function makeDirectory(path, mode) {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

function writeNew(path, content, mode) {
  const fd = fs.openSync(path, 'wx', mode);
  writeAll(fd, content);
  fs.closeSync(fd);
}

// handOver gives the program its arguments and variables: by workdir, and where a
// bare run has them if there is no policy.
function handOver(given, policy) {
  const { args, env } = workdir();
  for (const { kind, name, content } of given) {
    const value = content.toString();
    if (kind === 'arg') {
      args.push(value);
      if (!policy) process.argv.push(value);
    } else if (kind === 'env') {
      defineProperty(env, name, { __proto__: null, value, configurable: true, enumerable: true, writable: true });
      if (!policy) process.env[name] = value;
    }
  }
}
