# The program's run, from the job to the exit status.

class Quitter:
    """exit and quit, which the site module would provide."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Use {self.name}() or Ctrl-D (i.e. EOF) to exit"

    def __call__(self, code=None):
        raise SystemExit(code)


def prepare(code, policy):
    """The namespace of the program, as module __main__."""
    builtins.exit, builtins.quit = Quitter("exit"), Quitter("quit")
    sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    sys.argv = [PATH]
    main = ModuleType("__main__")
    main.__file__ = PATH
    main.__annotations__ = {}
    if policy is None:
        main.__builtins__ = builtins
        finder = Finder(code, COLLECTIONS)
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        for site in (f"local/lib/{version}/dist-packages", f"lib/{version}/site-packages",
                     "lib/python3/dist-packages"):
            try:
                posix.stat(f"{sys.prefix}/{site}")
                sys.path.append(f"{sys.prefix}/{site}")
            except OSError:
                pass
    else:
        namespaces = Namespaces(policy)
        main.__builtins__ = table = make_builtins(policy)
        table["__import__"] = make_import(policy, namespaces)
        finder = Finder(code, {**COLLECTIONS, **library(namespaces, table)})
        finder.change_loaded()
    sys.meta_path.insert(0, finder)
    sys.modules["__main__"] = main
    return main.__dict__


def lock(policy):
    """The last layers of the policy, unless the level allows what they end."""
    if not (policy.imports <= COPIED and "open" in policy.names):
        return
    SHIM.guard_format(gc.get_referents(str.__dict__)[0], check_format)
    replace_in_types(close_doors())
    SHIM.watch(sys.stdout, (posix.getcwd() + "/", f"{sys.prefix}/lib/", "/usr/share/zoneinfo/", f"{HERE}/"))


def take_job():
    """The job and its answer. Returns what to run, or None."""
    version, *fields = strings(receive(b"J"))
    if version != "2":
        raise ValueError(f"unknown job version {version!r}")
    mode, level, imports, blocked, names, constants, code = fields
    if mode not in ("run", "check") or level not in ("restricted", "unrestricted"):
        raise ValueError(f"unknown mode {mode!r} or level {level!r}")
    policy = Policy(imports, blocked, names, constants) if level == "restricted" else None
    code = code.removeprefix("\ufeff")
    gc.disable()  # a tree is large and lives on: to look for cycles in it takes as long as to parse
    try:
        tree, program = parse(code, policy is not None or mode == "check")
    except Invalid as invalid:
        line, place, message = invalid.args
        send(b"S", number(line) + number(place) + text(message))
        return None
    if policy:
        found, changed = check(tree, code, policy)
        if found:
            send(b"V", b"".join(
                number(line) + number(place) + text(rule) + text(name) + text(message)
                for line, place, rule, name, message in found))
            return None
        if changed:
            program = compile(tree, FILENAME, "exec", 0, True)
    if mode == "check":
        send(b"C", b"".join(text(name) for name in imported(tree, policy)))
        return None
    del tree
    gc.freeze()  # what is here now stays, and need not be looked at again and again
    gc.enable()
    namespace = prepare(code, policy)
    if policy:
        lock(policy)
    send(b"A")
    posix.close(JOB_SOCKET)
    return program, namespace


def run(program, namespace):
    """Runs the program; the exit status, unless it raises SystemExit."""
    try:
        exec(program, namespace)
        return 0
    except SystemExit:
        raise
    except BaseException as error:
        # As in the bare interpreter, what it holds is let go of when no frame runs any more.
        sys.last_value = error
        status = EXCEPTION
        if isinstance(error, ImportDenied):
            status = IMPORT_DENIED
        elif isinstance(error, PolicyViolation):
            status = POLICY_VIOLATION
        try:
            show(error)
        except BaseException:
            sys.stderr = None  # what is stuck in its buffer must not change the status
            try:
                posix.write(2, f"{type(error).__name__} (its traceback cannot be printed)\n".encode())
            except OSError:
                pass
        return status

