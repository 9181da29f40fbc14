# The start: as little as there is to do before the daemon may look at the jail.

ORDERS, PROC = 4, 5  # a template's descriptors: whom to fork, and the /proc of its pid namespace


def later():
    """The rest of the harness, which is made of it while the daemon looks."""
    fd = posix.open(f"{HERE}/program.pyc", posix.O_RDONLY | posix.O_CLOEXEC)
    data = b""
    while part := posix.read(fd, 1 << 20):
        data += part
    posix.close(fd)
    return memoryview(data)[16:]  # behind the header of a .pyc


def main():
    # The three ways to start differ in when the level of the programs is known.
    # cold: with the job. warm: K carries it, and B says that all is ready that does
    # not depend on the text. template: K carries it ahead of the lock-down, which
    # each fork goes through by itself.
    try:
        rest = later()
        load_shim()
        steady, template = steady_filter(), sys.argv[1:] == ["template"]
        if template:
            sys.orig_argv.pop()  # which a program may see
        promised = receive(b"K") if template else hand_over(steady)
        level = None
        if promised:
            exec(marshal.loads(rest), globals())
            level = make_ready(promised)
        if template:
            if level is None:
                raise ValueError("a template is promised no level")
            send(b"B")
            SHIM.serve_forks(ORDERS, PROC)  # returns in a fork
            if hand_over(steady):
                raise ValueError("a fork is promised a level")
            rehearse(level)
        if level:
            level.watch()
        send(b"B")
        if not level:
            exec(marshal.loads(rest), globals())
            load_tree_classes()
        job = take_job(level)
    except BaseException as error:
        send(b"F", text(f"{type(error).__name__}: {error}"))
        raise SystemExit(1)
    if job and (status := run(*job)):
        raise SystemExit(status)


main()
