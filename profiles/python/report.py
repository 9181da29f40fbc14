# How an uncaught exception is shown: as the bare interpreter does.

def ours(trace):
    """Says whether a frame is the harness's."""
    return trace.tb_frame.f_code.co_filename.startswith(f"{HERE}/")


def strip(error):
    """Takes the harness's frames out of an exception and those behind it."""
    todo, seen = [error], set()
    while todo:
        error = todo.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        todo += error.__cause__, error.__context__
        trace = error.__traceback__
        while trace and ours(trace):
            trace = trace.tb_next
        error.__traceback__ = trace
        while trace and trace.tb_next:
            if ours(trace.tb_next):
                trace.tb_next = trace.tb_next.tb_next
            else:
                trace = trace.tb_next


class Collector:
    """A stderr that keeps what is written."""

    def __init__(self):
        self.parts = []
        self.write = self.parts.append

    def flush(self):
        pass


def suggestion(error, last):
    """The last line with the interpreter's suggestion (did you mean), which
    the traceback module does not know before 3.12."""
    stderr, sys.stderr = sys.stderr, Collector()
    try:
        sys.__excepthook__(type(error), error, error.__traceback__)
        line = "".join(sys.stderr.parts).rstrip("\n").rpartition("\n")[2]
    finally:
        sys.stderr = stderr
    return line if line.startswith(last) else last


def show(error):
    """Prints an uncaught exception as the bare interpreter does."""
    strip(error)
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
        return
    from traceback import format_exception
    shown = "".join(format_exception(error))
    if sys.version_info < (3, 12) and isinstance(error, (NameError, AttributeError)):
        body, newline, last = shown.rstrip("\n").rpartition("\n")
        shown = body + newline + suggestion(error, last) + "\n"
    if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str) and package(error.name):
        hint = INSTEAD.get(error.name.partition(".")[0])
        shown += f"(no packages are installed{': ' + hint if hint else ''})\n"
    sys.stderr.write(shown)
    sys.stderr.flush()
