# Parsing: the text that was sent, by the interpreter that will run it.

ONLY_AST = 0x400  # PyCF_ONLY_AST


class Invalid(Exception):
    """The program is not Python: line, column, message."""


def split(code):
    return code.replace("\r\n", "\n").replace("\r", "\n").split("\n")


class Columns:
    """The 1-based columns in characters of 0-based offsets in UTF-8 bytes."""

    def __init__(self, code):
        self.lines = split(code)

    def of(self, line, offset):
        if not 0 < line <= len(self.lines) or offset < 0:
            return 1
        return len(self.lines[line - 1].encode("utf-8", "replace")[:offset].decode("utf-8", "ignore")) + 1


# What is raised where a text is too much for who reads, checks, rewrites or compiles
# it. Whatever else our code raises meanwhile is a fault of its own.
TOO_MUCH = RecursionError, MemoryError, OverflowError, ValueError, SystemError


def too_much(error):
    """The Invalid that says so."""
    if isinstance(error, (RecursionError, MemoryError)):
        detail = str(error) or type(error).__name__
        return Invalid(1, 1, f"the program is nested too deeply or too large to parse ({detail})")
    return Invalid(1, 1, f"{type(error).__name__}: {error}")


def compiled(*arguments):
    # A call of this form is never specialized. Another is once it is warm, takes a level
    # less of the stack from then on, and with that one more of the program.
    return compile(*arguments)


def parse(code, wanted):
    """Returns the tree, if one is wanted, and the code object made from it."""
    nul = code.find("\0")
    if nul >= 0:
        lines = split(code[:nul])
        raise Invalid(len(lines), len(lines[-1]) + 1, "source code cannot contain null bytes")
    tree = source = code
    compiling = False
    try:
        if wanted:
            tree = source = compiled(code, FILENAME, "exec", ONLY_AST, True)
            compiling = True
        return tree, compiled(source, FILENAME, "exec", 0, True)
    except SyntaxError as error:
        line, offset = error.lineno or 1, error.offset or 1
        if not wanted:
            try:
                compiled(code, FILENAME, "exec", ONLY_AST, True)
                compiling = True
            except Exception:
                pass
        # The parser counts characters, the compiler bytes.
        place = Columns(code).of(line, offset - 1) if compiling else max(offset, 1)
        raise Invalid(max(line, 1), place, str(error.msg)) from None
    except Exception as error:
        raise too_much(error) from None
