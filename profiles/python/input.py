# What a program gets beside its text: files, an input, arguments, variables. It is
# in its place before any of the text is looked at. Nobody else has been in the
# working directory, so there are no links to be careful of; that it all fits has
# been seen to by who sent it.

STDIN = ".stdin"


def triples(given):
    for at in range(0, len(given), 3):
        yield given[at].decode(), given[at + 1].decode(), given[at + 2]


def lay_out(given):
    """Writes the files, and puts the input onto descriptor 0. The input comes first:
    its file has a name for a moment, which one of the others may have for good."""
    for kind, name, content in triples(given):
        if kind == "stdin":
            write_new(STDIN, content, 0o600)
            fd = posix.open(STDIN, posix.O_RDONLY | posix.O_CLOEXEC)
            posix.unlink(STDIN)
            posix.dup2(fd, 0)
            posix.close(fd)
        elif kind == "file":
            for at, letter in enumerate(name):
                if letter == "/":
                    make_directory(name[:at])
            write_new(name, content, 0o644)
        elif kind not in ("arg", "env"):
            raise ValueError(f"unknown kind {kind!r} of input")


def make_directory(path):
    try:
        posix.mkdir(path, 0o755)
    except FileExistsError:
        pass


def write_new(path, content, mode):
    fd = posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, mode)
    write_whole(fd, memoryview(content))
    posix.close(fd)


def write_whole(fd, view):
    while view:
        view = view[posix.write(fd, view):]


def hand_over_texts(level, given):
    """Gives the program its arguments and variables: by workdir, and where a bare
    run has them if there is no policy."""
    args, env = [], {}
    for kind, name, content in triples(given):
        if kind == "arg":
            args.append(content.decode())
        elif kind == "env":
            env[name] = content.decode()
    WORKDIR.args.extend(args)
    WORKDIR.env.update(env)
    if level.policy is None:
        sys.argv.extend(args)
        if loaded := lookup(sys.modules, "os"):
            loaded.environ.update(env)
        else:
            for name, value in env.items():
                posix.putenv(name, value)
                posix.environ[name.encode()] = value.encode()  # which os takes when it is loaded
