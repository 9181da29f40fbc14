# What a program needs apart from its text. Where the level is known ahead of the
# job, all of it is made ahead.

class Quitter:
    """exit and quit, which the site module would provide."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Use {self.name}() or Ctrl-D (i.e. EOF) to exit"

    def __call__(self, code=None):
        raise SystemExit(code)


class Level:
    """What a level allows, and from prepare on what its programs are given."""

    def __init__(self, fields):
        self.fields = fields
        kind, *lists = fields
        if kind not in ("restricted", "unrestricted"):
            raise ValueError(f"unknown level {kind!r}")
        self.policy = Policy(*lists) if kind == "restricted" else None  # None allows all
        self.locked = self.policy and self.policy.imports <= COPIED and "open" in self.policy.names
        self.finder = self.namespaces = self.builtins = None

    def prepare(self):
        policy = self.policy
        builtins.exit, builtins.quit = Quitter("exit"), Quitter("quit")
        sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
        sys.argv = [PATH]
        if policy is None:
            self.builtins = builtins
            self.finder = Finder(COLLECTIONS)
            add_sites()
        else:
            self.namespaces = Namespaces(policy)
            self.builtins = table = make_builtins(policy)
            table["__import__"] = make_import(policy, self.namespaces)
            self.finder = Finder({**COLLECTIONS, **library(self.namespaces, table)})
            self.finder.change_loaded()
        sys.meta_path.insert(0, self.finder)

    def main(self, code):
        """The module __main__ of a program, made last: what is frozen is not taken
        apart at the end."""
        self.finder.tell(code)
        main = ModuleType("__main__")
        main.__file__ = PATH
        main.__annotations__ = {}
        main.__builtins__ = self.builtins
        sys.modules["__main__"] = main
        return main

    def lock(self):
        """The changes of builtin types, unless the level allows what they end."""
        if self.locked:
            SHIM.guard_format(gc.get_referents(str.__dict__)[0], check_format)
            replace_in_types(close_doors())

    def watch(self):
        """The last layer. It names the working directory, which a fork has of its own."""
        if self.locked:
            SHIM.watch(sys.stdout, (posix.getcwd() + "/", f"{sys.prefix}/lib/", "/usr/share/zoneinfo/", f"{HERE}/"))


def add_sites():
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for site in (f"local/lib/{version}/dist-packages", f"lib/{version}/site-packages",
                 "lib/python3/dist-packages"):
        try:
            posix.stat(f"{sys.prefix}/{site}")
            sys.path.append(f"{sys.prefix}/{site}")
        except OSError:
            pass


def load_library(policy, namespaces):
    """Loads the allowed modules and makes what a program sees of them. Those that
    an operator has added are left to the program: what they do when they are
    loaded, such as to start threads, nobody here knows."""
    wanted = sorted(namespaces.allowed)
    if policy.imports & {"time", "datetime"}:
        wanted.append("_strptime")  # C code loads it for strptime
    for name in [*wanted, "traceback"]:  # with which an exception is shown
        try:
            __import__(name)
            if name in COPIED:
                namespaces.of(name)
        except Exception:
            pass  # the program's own import will say what is wrong


# Has a bit of each kind of text that is looked at, so that nothing of the parser,
# the walk and the compiler is used for the first time by a program.
SAMPLE = '''
import json, math as m
from json import dumps, loads as l
class A(dict):
    """A class."""
    x: int = 1
    def f(self, a, *b, c=2, **d):
        for i, j in enumerate(b):
            if i % 2 == 0 and not j:
                continue
            while a < i:
                a += 1
        return [y * 2 for y in b if y], {k: v for k, v in d.items()}, {1, 2}, -a
    @property
    def g(self):
        yield from self.h.i(1)[0:2]
try:
    with A() as b:
        print(f"{b!r:>10} {m.pi:.2f}", "{:.3f} {0.x}".format(1), sep="")
except (ValueError, KeyError) as e:
    raise SystemExit(3) from e
finally:
    z = lambda q: q if q else None
assert z(1), "never"
match z:
    case {"a": [1, *_]}: pass
def main():
    global z
    del z
if __name__ == "__main__":
    main()
'''

# As often as it takes until the interpreter has put the code of the harness in
# its final shape: after a fork each write to it copies a page.
ROUNDS = 20


def warm_up(policy):
    for _ in range(ROUNDS):
        tree, program = parse(SAMPLE, policy is not None)
        if policy:
            check(tree, SAMPLE, policy)
            compiled(tree, FILENAME, "exec", 0, True)


SHORT = "print(1)\n"


def rehearse(level):
    """Touches in a fork what any program will, so that the kernel has copied those
    pages before there is one to wait for it."""
    tree, program = parse(SHORT, level.policy is not None)
    if level.policy:
        check(tree, SHORT, level.policy)
    exec(program, {"__builtins__": {"print": id}})
    End(level).quiet(SHORT)


def make_ready(promised):
    """All that does not depend on the program's text, from a job without text."""
    load_tree_classes()
    mode, fields, code, given = read_job(promised)
    if code or given:
        raise ValueError("a level is promised with a program")
    level = Level(fields)
    level.prepare()
    if level.policy:
        load_library(level.policy, level.namespaces)
    warm_up(level.policy)
    know_kinds()
    level.lock()
    gc.collect()
    gc.freeze()
    return level
