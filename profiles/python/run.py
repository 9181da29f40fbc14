# The program's run, from the job to the exit status.

JOB_FIELDS = 8


def read_job(payload):
    """Mode, fields of the level and text of a job, and what the program gets beside it."""
    fields = strings(payload)
    if fields[:1] != [b"3"] or len(fields) < JOB_FIELDS or (len(fields) - JOB_FIELDS) % 3:
        raise ValueError(f"unknown job version {fields[:1]!r}, or {len(fields)} fields")
    mode, *level, code = [field.decode() for field in fields[1:JOB_FIELDS]]
    if mode not in ("run", "check"):
        raise ValueError(f"unknown mode {mode!r}")
    return mode, level, code, fields[JOB_FIELDS:]


def examine(code, policy, mode):
    """What a text breaks, what it imports if it is only checked, and the code object
    made of it. Raises Invalid whatever the text is too much for."""
    tree, program = parse(code, policy is not None or mode == "check")
    found, imports = (), ()
    try:
        if policy:
            found, changed = check(tree, code, policy)
            if changed and not found:
                program = compiled(tree, FILENAME, "exec", 0, True)
        if mode == "check" and not found:
            imports = imported(tree, policy)
    except (SyntaxError, *TOO_MUCH) as error:
        raise too_much(error) from None
    return found, imports, program


def take_job(level):
    """The job and its answer. level is what was made ready ahead, or None. Returns
    what to run, or None."""
    mode, fields, code, given = read_job(receive(b"J"))
    if level is None:
        level = Level(fields)
    elif fields != level.fields:
        raise ValueError("the job's level is not the one that was promised")
    policy = level.policy
    if given and mode == "run":
        lay_out(given)
    code = code.removeprefix("\ufeff")
    gc.disable()  # a tree is large and lives on: to look for cycles in it takes as long as to parse
    try:
        found, imports, program = examine(code, policy, mode)
    except Invalid as invalid:
        line, place, message = invalid.args
        send(b"S", number(line) + number(place) + text(message))
        return None
    if found:
        send(b"V", b"".join(
            number(line) + number(place) + text(rule) + text(name) + text(message)
            for line, place, rule, name, message in found))
        return None
    if mode == "check":
        listed = [name for name in imports if len(name.encode()) <= MAX_IMPORT]
        send(b"C", number(len(imports)) + b"".join(map(text, listed[:MAX_IMPORTS])))
        return None
    gc.freeze()  # what is here now stays, and need not be looked at again and again
    gc.enable()
    if level.finder is None:
        level.prepare()
        level.lock()
        level.watch()
    if given:
        hand_over_texts(level, given)
    main = level.main(code)
    end = End(level)
    send(b"A")
    posix.close(JOB_SOCKET)
    return program, main.__dict__, code, end


def status_of(error):
    """The exit status of a SystemExit that prints nothing, or None."""
    if type(error) is not SystemExit:
        return None
    if error.code is None:
        return 0
    return error.code & 0xff if type(error.code) is int and -1 << 31 <= error.code < 1 << 31 else None


def run(program, namespace, code, end):
    """Runs the program; the exit status, unless it raises SystemExit. Does not
    return where the process can be left at once."""
    try:
        exec(program, namespace)
        status = 0
    except SystemExit as error:
        status = status_of(error)
        if status is not None:
            end.leave(code, status)
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
    end.leave(code, status)
    return status
