"""The Python harness: our code in the payload's process, ahead of the program.

It loads the steady seccomp filter, takes the job from the daemon, parses and
checks the program, answers, gives up the job socket, and runs the program as
__main__. It protects nobody by itself: the kernel layers are the boundary, and
what happens here after the answer is believed by no one. The import policy is a
courtesy that says no early and says why.

Start-up time is the product, so nothing is imported that a bare interpreter
has not loaded already. Runs on CPython 3.11 and later.
"""

import builtins
import posix
import sys

ONLY_AST = 0x400  # PyCF_ONLY_AST
JOB_SOCKET = 3
MAX_MESSAGE = 4 << 20  # bytes
MAX_VIOLATIONS = 100
MAX_TEXT = 500  # characters of any one name or message: 100 violations of 4-byte ones stay below the daemon's bound

EXCEPTION, IMPORT_DENIED = 90, 91  # exit statuses

FILENAME = "<program>"
PATH = "/tmp/program.py"
HERE = sys.argv[0].rpartition("/")[0]
HARNESS = (lambda: 0).__code__.co_filename
ModuleType = type(sys)


# The job socket.

def number(value):
    return value.to_bytes(4, "little")


def text(value):
    data = value[:MAX_TEXT].encode("utf-8", "backslashreplace")
    return number(len(data)) + data


def send(kind, payload=b""):
    data = kind + number(len(payload)) + payload
    while data:
        data = data[posix.write(JOB_SOCKET, data):]


def read(size):
    data = b""
    while len(data) < size:
        part = posix.read(JOB_SOCKET, size - len(data))
        if not part:
            raise EOFError("the job socket ended inside a frame")
        data += part
    return data


def receive(kind):
    header = read(5)
    size = int.from_bytes(header[1:], "little")
    if header[:1] != kind or size > MAX_MESSAGE:
        raise ValueError(f"expected frame {kind!r}, got {header!r}")
    return read(size)


def strings(payload):
    at, found = 0, []
    while at < len(payload):
        end = at + 4 + int.from_bytes(payload[at:at + 4], "little")
        if end > len(payload):
            raise ValueError("a string of the job is cut short")
        found.append(payload[at + 4:end].decode())
        at = end
    return found


def lock_down():
    from _frozen_importlib import ModuleSpec
    from _imp import create_dynamic
    shim = create_dynamic(ModuleSpec("_safe_exec", None, origin=f"{HERE}/_safe_exec.abi3.so"))
    fd = posix.open(f"{HERE}/steady.bpf", posix.O_RDONLY | posix.O_CLOEXEC)
    program = posix.read(fd, 1 << 16)
    posix.close(fd)
    return shim.lockdown(program)


# Parsing.

class Invalid(Exception):
    """The program is not Python: line, column, message."""


def split(code):
    return code.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def column(code, line, offset):
    """The 1-based column in characters of a 0-based offset in UTF-8 bytes."""
    lines = split(code)
    if not 0 < line <= len(lines) or offset < 0:
        return 1
    return len(lines[line - 1].encode("utf-8", "replace")[:offset].decode("utf-8", "ignore")) + 1


def parse(code, restricted):
    """Returns the tree, if restricted, and the code object made from it."""
    nul = code.find("\0")
    if nul >= 0:
        lines = split(code[:nul])
        raise Invalid(len(lines), len(lines[-1]) + 1, "source code cannot contain null bytes")
    tree = source = code
    compiling = False
    try:
        if restricted:
            tree = source = compile(code, FILENAME, "exec", ONLY_AST, True)
            compiling = True
        return tree, compile(source, FILENAME, "exec", 0, True)
    except SyntaxError as error:
        line, offset = error.lineno or 1, error.offset or 1
        if not restricted:
            try:
                compile(code, FILENAME, "exec", ONLY_AST, True)
                compiling = True
            except Exception:
                pass
        # The parser counts characters, the compiler bytes.
        place = column(code, line, offset - 1) if compiling else max(offset, 1)
        raise Invalid(max(line, 1), place, str(error.msg)) from None
    except (RecursionError, MemoryError) as error:
        detail = str(error) or type(error).__name__
        raise Invalid(1, 1, f"the program is nested too deeply or too large to parse ({detail})") from None
    except Exception as error:
        raise Invalid(1, 1, f"{type(error).__name__}: {error}") from None


# The import policy, on the tree.

def load_tree_classes():
    """Half a millisecond of the interpreter's work, done while the daemon looks
    at the jail."""
    global AST, AsyncFunctionDef, Attribute, ClassDef, Constant, ExceptHandler, FunctionDef, Import
    global ImportFrom, MatchAs, MatchClass, MatchMapping, MatchStar, Name, Store, arg
    from _ast import (
        AST, AsyncFunctionDef, Attribute, ClassDef, Constant, ExceptHandler, FunctionDef, Import,
        ImportFrom, MatchAs, MatchClass, MatchMapping, MatchStar, Name, Store, arg,
    )


# Attributes and names with two underscores on both ends that honest programs
# use and that lead nowhere by themselves.
HARMLESS = frozenset("""
__abs__ __add__ __aenter__ __aexit__ __aiter__ __all__ __and__ __anext__ __annotations__
__args__ __author__ __await__ __bool__ __bytes__ __call__ __cause__ __ceil__ __class__
__class_getitem__ __complex__ __contains__ __context__ __copy__ __dataclass_fields__ __debug__
__deepcopy__ __del__ __delete__ __delitem__ __dir__ __divmod__ __doc__ __enter__ __eq__ __exit__
__file__ __float__ __floor__ __floordiv__ __format__ __future__ __ge__ __get__ __getitem__ __gt__
__hash__ __iadd__ __iand__ __ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __index__
__init__ __init_subclass__ __instancecheck__ __int__ __invert__ __ior__ __ipow__ __irshift__
__isub__ __iter__ __itruediv__ __ixor__ __le__ __len__ __length_hint__ __lshift__ __lt__ __main__
__match_args__ __matmul__ __members__ __missing__ __mod__ __module__ __mul__ __name__ __ne__
__neg__ __new__ __next__ __notes__ __or__ __origin__ __pos__ __post_init__ __pow__ __qualname__
__radd__ __rand__ __rdivmod__ __repr__ __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__
__rmul__ __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __set__
__set_name__ __setitem__ __sizeof__ __slots__ __str__ __sub__ __subclasscheck__
__suppress_context__ __truediv__ __trunc__ __version__ __wrapped__ __xor__
""".split())

# Attributes that hand out frames, code and the variables of other functions.
FRAMES = frozenset("""
ag_await ag_code ag_frame co_code co_consts co_names cr_await cr_code cr_frame cr_origin f_back
f_builtins f_code f_globals f_lasti f_locals f_trace gi_code gi_frame gi_yieldfrom tb_frame
tb_lasti tb_next
""".split())

INSTEAD = {
    "open": "keep the data in the program and print the result",
    "eval": "json.loads reads data, float and int read numbers",
    "exec": "write the statements into the program",
    "compile": "write the code into the program",
    "getattr": "write object.name, or keep the values in a dictionary",
    "setattr": "write object.name = value, or keep the values in a dictionary",
    "__import__": "use an import statement",
    "os": "a program sees no processes, environment or files; compute with the modules that are allowed",
    "sys": "print writes output, raise SystemExit ends the program",
    "pathlib": "a program has no files; keep the data in the program",
    "glob": "a program has no files; keep the data in the program",
    "shutil": "a program has no files; keep the data in the program",
    "tempfile": "a program has no files; keep the data in memory",
    "subprocess": "a program cannot start others; compute the result in Python",
    "pickle": "use json",
    "marshal": "use json",
    "yaml": "use json",
    "requests": "there is no network; put the data into the program",
    "http": "there is no network; put the data into the program",
    "socket": "there is no network; put the data into the program",
    "urllib.request": "there is no network; put the data into the program",
    "heapq": "sorted, min and max do the same work",
    "bisect": "write the binary search, it is five lines",
    "operator": "use a lambda",
    "cmath": "complex numbers and math do the same work",
    "collections.abc": "the names are in typing and in collections.abc after import collections",
}


def instead(name):
    hint = INSTEAD.get(name) or INSTEAD.get(name.partition(".")[0])
    return f": {hint}" if hint else ""


def dunder(name):
    return len(name) > 4 and name[:2] == "__" == name[-2:]


class Policy:
    """The lists of one job, and what they say of one name."""

    def __init__(self, imports, blocked, names):
        self.imports = frozenset(imports.split("\n"))
        self.blocked = frozenset(blocked.split("\n"))
        self.names = frozenset(names.split("\n")) - {""}

    def refuse_import(self, name):
        """None if the dotted name may be imported, else rule and message."""
        if name in self.imports and name not in self.blocked and name:
            return None
        part = name
        while part and part not in self.blocked:
            part = part.rpartition(".")[0]
        if part:
            return "import_blocked", f"module {name} is blocked{instead(name)}"
        return "import_not_allowed", (
            f"module {name} is not on the list of allowed imports{instead(name)}")

    def refuse_from(self, module, name):
        """The same for `from module import name`."""
        if f"{module}.{name}" in self.imports and self.refuse_import(f"{module}.{name}") is None:
            return None
        refused = self.refuse_import(module)
        if refused or name == "*":
            return refused
        if name[:1] == "_" and name not in HARMLESS:
            return "attribute_blocked", f"{name} is private to module {module}"
        try:
            __import__(module)
        except Exception:
            return None  # the program's own import will say what is wrong
        if isinstance(sys.modules[module].__dict__.get(name), ModuleType):
            return "attribute_blocked", (
                f"{name} is a module that {module} uses itself; "
                "only modules on the list of allowed imports can be imported")
        return None


def refuse_attribute(name, root, modules, storing, plain):
    """Says why an attribute is refused, or None. root is the name that the
    dotted expression begins with; plain, that the attribute is right on it."""
    if name in FRAMES:
        return f"attribute {name} gives access to frames and code"
    if name[:1] != "_":
        return None
    if not dunder(name):
        return f"{name} is private to module {root}" if root in modules else None
    if name == "__dict__" and plain and root not in modules:
        return None
    if name in HARMLESS and not (storing and name == "__class__"):
        return None
    return f"attribute {name} reaches into the interpreter" + (
        ": type(x).__name__ names a class" if name in ("__mro__", "__bases__", "__base__") else "")


def format_attributes(value):
    """The attributes that replacement fields of a format string would read."""
    for piece in value.split("{")[1:]:
        field = piece.partition("}")[0].partition(":")[0].partition("!")[0]
        for attribute in field.replace("[", ".").split(".")[1:]:
            yield attribute.rstrip("]")


def check(tree, code, policy):
    """All places where the program breaks the policy, in the order of the text."""
    own, modules = set(), set()  # names the program binds; those that are modules
    names, attributes, found = [], [], []

    def report(node, rule, name, message):
        found.append((node.lineno, node.col_offset, rule, name, message))

    todo = [tree]
    while todo:
        node = todo.pop()
        kind = node.__class__
        if kind is Name:
            if node.ctx.__class__ is Store:
                own.add(node.id)
            else:
                names.append(node)
            continue
        if kind is Constant:
            if node.value.__class__ is str and "{" in node.value and "." in node.value:
                for name in format_attributes(node.value):
                    if refused := refuse_attribute(name, None, modules, False, False):
                        report(node, "attribute_blocked", name, f"in a format string, {refused}")
            continue
        if kind is Attribute:
            attributes.append(node)
        elif kind is FunctionDef or kind is ClassDef or kind is AsyncFunctionDef:
            own.add(node.name)
        elif kind is arg:
            own.add(node.arg)
        elif kind is Import:
            for item in node.names:
                own.add(item.asname or item.name.partition(".")[0])
                modules.add(item.asname or item.name.partition(".")[0])
                if refused := policy.refuse_import(item.name):
                    report(item, refused[0], item.name, refused[1])
            continue
        elif kind is ImportFrom:
            check_from(node, policy, own, modules, report)
            continue
        elif kind is ExceptHandler or kind is MatchAs or kind is MatchStar:
            own.add(node.name)
        elif kind is MatchMapping:
            own.add(node.rest)
        elif kind is MatchClass:
            for name in node.kwd_attrs:
                if refused := refuse_attribute(name, None, modules, False, False):
                    report(node, "attribute_blocked", name, f"in a pattern, {refused}")
        for field in kind._fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                todo += [item for item in value if isinstance(item, AST)]
            elif isinstance(value, AST):
                todo.append(value)

    for node in names:
        name = node.id
        if name in own:
            continue
        if name in policy.names:
            report(node, "name_blocked", name, f"{name} is blocked{instead(name)}")
        elif dunder(name) and name not in HARMLESS:
            report(node, "name_blocked", name, f"{name} reaches into the interpreter")
    for node in attributes:
        root, plain = node.value, node.value.__class__ is Name
        if node.attr[:1] == "_":
            while root.__class__ is Attribute:
                root = root.value
        root = root.id if root.__class__ is Name else None
        if refused := refuse_attribute(node.attr, root, modules, node.ctx.__class__ is Store, plain):
            report(node, "attribute_blocked", node.attr, refused)
    found.sort()
    return [(line, column(code, line, offset), *rest)
            for line, offset, *rest in found[:MAX_VIOLATIONS]]


def check_from(node, policy, own, modules, report):
    if node.module == "__future__" and not node.level:
        return
    if node.level:
        name = "." * node.level + (node.module or "")
        report(node, "import_not_allowed", name, "a program is one file and has no package around it")
        return
    refusals = []
    for item in node.names:
        own.add(item.asname or item.name)
        refused = policy.refuse_from(node.module, item.name)
        if refused:
            refusals.append((item, refused))
        elif f"{node.module}.{item.name}" in policy.imports:
            modules.add(item.asname or item.name)
    if len(refusals) == len(node.names) and refusals[0][1] == policy.refuse_import(node.module):
        report(node, refusals[0][1][0], node.module, refusals[0][1][1])
        return
    for item, (rule, message) in refusals:
        report(item, rule, f"{node.module}.{item.name}", message)


# The import policy, at run time.

class ImportDenied(ImportError):
    """The import policy refuses a module at run time."""


ImportDenied.__module__ = "builtins"  # so that a traceback shows the bare name

# Modules of which user code sees a copy of the public names, without the
# modules that they import in turn. Others are handed out as they are: state
# that a program is meant to set by assignment would be lost in a copy.
COPIED = frozenset("""
json math re datetime time calendar collections functools itertools random statistics string
base64 hashlib hmac secrets urllib.parse html xml.etree.ElementTree typing types copy pprint
textwrap
""".split())
KEPT = frozenset(("__all__", "__version__", "__author__", "__file__"))


def visible(module, name, value):
    """Says whether a copy of the module shows this name of it."""
    if isinstance(value, ModuleType):
        return f"{module}.{name}" in sys.modules and value is sys.modules[f"{module}.{name}"]
    return name[0] != "_" or name in KEPT


def make_import(policy):
    """The __import__ of user frames. Library code has the interpreter's own."""
    real, modules = builtins.__import__, sys.modules
    copies = {}
    roots = {name.partition(".")[0] for name in COPIED} - {
        name.partition(".")[0] for name in policy.imports - COPIED}

    def copy(name):
        found = copies.get(name)
        if found is None:
            source = modules[name].__dict__
            copies[name] = found = ModuleType(name, source.get("__doc__"))
            for key, value in source.items():
                if visible(name, key, value):
                    found.__dict__[key] = copy(f"{name}.{key}") if isinstance(value, ModuleType) else value

            def __getattr__(key):
                # What was not there yet when the copy was made: a submodule
                # that some library has imported since.
                value = source.get(key)
                if value is not None and visible(name, key, value):
                    return copy(f"{name}.{key}") if isinstance(value, ModuleType) else value
                if "__getattr__" in source:
                    return source["__getattr__"](key)
                raise AttributeError(f"module {name!r} has no attribute {key!r}", name=key, obj=found)

            found.__getattr__ = __getattr__
        return found

    def namespace(name):
        """A copy of a listed module, or an empty parent of one."""
        if name in COPIED:
            return copy(name)
        found = copies.get(name)
        if found is None:
            copies[name] = found = ModuleType(name)
            found.__path__ = []
        return found

    def bind(name):
        """The namespace of a dotted name, hung into its parents."""
        real(name)
        found = namespace(name)
        parent, _, last = name.rpartition(".")
        while parent:
            above = namespace(parent)
            above.__dict__[last] = found
            found = above
            parent, _, last = parent.rpartition(".")
        return namespace(name)

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        # C code imports through the calling frame (time.strptime asks for
        # _strptime), passes a list where statements pass a tuple or None, and
        # takes the module from sys.modules, whatever is returned.
        if fromlist.__class__ is list:
            real(name, None, None, fromlist, 0)
            return None
        if level:
            raise ImportError("attempted relative import with no known parent package")
        if name == "__future__":
            return real(name, globals, locals, fromlist, level)
        for item in fromlist or ():
            if refused := policy.refuse_from(name, item):
                raise ImportDenied(refused[1], name=name)
        if not fromlist:
            if refused := policy.refuse_import(name):
                raise ImportDenied(refused[1], name=name)
        root = name.partition(".")[0]
        if root not in roots:
            return real(name, globals, locals, fromlist, level)
        if not fromlist:
            bind(name)
            return namespace(root)
        for item in fromlist:
            if f"{name}.{item}" in policy.imports:
                bind(f"{name}.{item}")
        return bind(name) if name in policy.imports else namespace(name)

    return __import__


# Running.

class Quitter:
    """exit and quit, which the site module would provide."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Use {self.name}() or Ctrl-D (i.e. EOF) to exit"

    def __call__(self, code=None):
        raise SystemExit(code)


class SourceFinder:
    """Gives linecache the program's text, once somebody imports it: tracebacks
    then show the lines, and runs without one do not pay for it."""

    def __init__(self, code):
        self.code = code

    def find_spec(self, name, path=None, target=None):
        if name != "linecache":
            return None
        from _frozen_importlib_external import PathFinder
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name)
        if spec:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                lines = [line + "\n" for line in split(self.code)]
                module.cache[FILENAME] = (len(self.code), None, lines, FILENAME)

            spec.loader.exec_module = exec_module
        return spec


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
        while trace and trace.tb_frame.f_code.co_filename == HARNESS:
            trace = trace.tb_next
        error.__traceback__ = trace
        while trace and trace.tb_next:
            if trace.tb_next.tb_frame.f_code.co_filename == HARNESS:
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
    sys.stderr.write(shown)
    sys.stderr.flush()


def prepare(code, policy):
    """The namespace of the program, as module __main__."""
    builtins.exit, builtins.quit = Quitter("exit"), Quitter("quit")
    sys.meta_path.insert(0, SourceFinder(code))
    sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    sys.argv = [PATH]
    main = ModuleType("__main__")
    main.__file__ = PATH
    main.__annotations__ = {}
    if policy is None:
        main.__builtins__ = builtins
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        for site in (f"local/lib/{version}/dist-packages", f"lib/{version}/site-packages",
                     "lib/python3/dist-packages"):
            try:
                posix.stat(f"{sys.prefix}/{site}")
                sys.path.append(f"{sys.prefix}/{site}")
            except OSError:
                pass
    else:
        table = dict(builtins.__dict__)
        for name in (*policy.names, "__loader__", "__spec__"):
            table.pop(name, None)
        table["__import__"] = make_import(policy)
        main.__builtins__ = table
    sys.modules["__main__"] = main
    return main.__dict__


def take_job():
    """Everything up to the answer. Returns what to run, or None."""
    listener = lock_down()
    send(b"R", number(listener))
    receive(b"K")
    posix.close(listener)
    send(b"B")
    load_tree_classes()
    version, level, imports, blocked, names, code = strings(receive(b"J"))
    if version != "1" or level not in ("restricted", "unrestricted"):
        raise ValueError(f"unknown job version {version!r} or level {level!r}")
    policy = Policy(imports, blocked, names) if level == "restricted" else None
    code = code.removeprefix("\ufeff")
    try:
        tree, program = parse(code, policy is not None)
    except Invalid as invalid:
        line, place, message = invalid.args
        send(b"S", number(line) + number(place) + text(message))
        return None
    if policy and (found := check(tree, code, policy)):
        send(b"V", b"".join(
            number(line) + number(place) + text(rule) + text(name) + text(message)
            for line, place, rule, name, message in found))
        return None
    namespace = prepare(code, policy)
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
        status = IMPORT_DENIED if isinstance(error, ImportDenied) else EXCEPTION
        try:
            show(error)
        except BaseException:
            sys.stderr = None  # what is stuck in its buffer must not change the status
            try:
                posix.write(2, f"{type(error).__name__} (its traceback cannot be printed)\n".encode())
            except OSError:
                pass
        return status


def main():
    try:
        job = take_job()
    except BaseException as error:
        send(b"F", text(f"{type(error).__name__}: {error}"))
        raise SystemExit(1)
    if job and (status := run(*job)):
        raise SystemExit(status)


main()
