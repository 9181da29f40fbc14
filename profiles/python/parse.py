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
            tree = source = compile(code, FILENAME, "exec", ONLY_AST, True)
            compiling = True
        return tree, compile(source, FILENAME, "exec", 0, True)
    except SyntaxError as error:
        line, offset = error.lineno or 1, error.offset or 1
        if not wanted:
            try:
                compile(code, FILENAME, "exec", ONLY_AST, True)
                compiling = True
            except Exception:
                pass
        # The parser counts characters, the compiler bytes.
        place = Columns(code).of(line, offset - 1) if compiling else max(offset, 1)
        raise Invalid(max(line, 1), place, str(error.msg)) from None
    except (RecursionError, MemoryError) as error:
        detail = str(error) or type(error).__name__
        raise Invalid(1, 1, f"the program is nested too deeply or too large to parse ({detail})") from None
    except Exception as error:
        raise Invalid(1, 1, f"{type(error).__name__}: {error}") from None
