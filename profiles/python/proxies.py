# What user code sees of an allowed module: a namespace with the same objects
# under its public names, without the modules that it imports in turn and
# without what its level leaves out. The objects are the library's own, so that
# signatures, documentation, identity and subclassing are; what would read or
# set attributes, or evaluate text, by a name that it is given is changed in the
# library itself (library.py).

# Modules of which user code sees such a namespace. Others, which an operator
# allows, are handed out as they are.
COPIED = frozenset("""
sys json math re datetime time calendar collections functools itertools random statistics string
base64 hashlib hmac secrets urllib.parse html xml.etree.ElementTree typing types copy pprint
textwrap
heapq bisect operator decimal fractions dataclasses enum abc numbers cmath array io contextlib csv
unicodedata zlib difflib uuid zoneinfo asyncio threading collections.abc
workdir
""".split())
KEPT = frozenset(("__all__", "__version__", "__author__", "__file__"))

# Submodules that the library's documentation has programs reach as attributes.
SUBMODULES = frozenset("""
json.decoder json.encoder json.scanner collections.abc html.entities asyncio.events
asyncio.exceptions asyncio.futures asyncio.locks asyncio.queues asyncio.runners asyncio.taskgroups
asyncio.tasks asyncio.timeouts
""".split())

NO_FILES = "workdir reads and writes files, StringIO and BytesIO work in memory"
NO_NETWORK = "a program has no network and starts no processes; timers, tasks and queues work"
NO_COMMAND = "it is the module's command line"
NO_FRAMES = "it would hand out frames"

# Public names that a namespace leaves out, and why.
WITHHELD = {
    "io": dict.fromkeys(("open", "open_code", "FileIO", "OpenWrapper"), NO_FILES) | dict.fromkeys(
        # They hand a stream of the program memory that they give back.
        ("BufferedRandom", "BufferedReader", "BufferedRWPair", "BufferedWriter", "RawIOBase"), NO_FILES),
    "base64": dict.fromkeys(("main", "test"), NO_COMMAND),
    "calendar": {"main": NO_COMMAND},
    "random": {"main": NO_COMMAND},
    "uuid": {"main": NO_COMMAND},
    "enum": {"global_enum": "it would bind names that the text does not show"},
    "threading": dict.fromkeys(
        ("settrace", "setprofile", "gettrace", "getprofile", "settrace_all_threads", "setprofile_all_threads"), NO_FRAMES),
    "contextlib": {"chdir": "a program has no directories"},
    "asyncio": dict.fromkeys("""
        create_subprocess_exec create_subprocess_shell open_connection open_unix_connection start_server
        start_unix_server AbstractChildWatcher FastChildWatcher MultiLoopChildWatcher PidfdChildWatcher
        SafeChildWatcher ThreadedChildWatcher get_child_watcher set_child_watcher subprocess
        """.split(), NO_NETWORK),
}


def withheld(module, name):
    """Says why a public name of a module is not there, or None."""
    if module in FACADES:
        return None if name in FACADES[module] else f"{module}.{name} is withheld: a program sees numbers and streams of it"
    why = lookup(lookup(WITHHELD, module, {}), name)
    return why and f"{module}.{name} is withheld: {why}"


def visible(module, name, value):
    """Says whether the namespace of a module shows this name of it."""
    if isinstance(value, ModuleType):
        whole = f"{module}.{name}"
        return whole in SUBMODULES and lookup(sys.modules, whole) is value
    if name in lookup(WITHHELD, module, ()) or name in lookup(WITHHELD, module.partition(".")[0], ()):
        return False
    return (name[0] != "_" or name in KEPT) and name not in lookup(ADDED, module, ())


def named(space):
    """The names of the loaded modules whose variables these are."""
    return [name for name, module in tuple(items_of(sys.modules))
            if isinstance(module, ModuleType) and module.__dict__ is space]


class Namespaces:
    """The namespaces of one run, made when they are first asked for. What a
    level blocks is no attribute of another module either."""

    def __init__(self, policy):
        self.made, self.blocked = {}, policy.blocked
        self.allowed = COPIED & policy.imports - policy.blocked

    def visible(self, name, key, value):
        return visible(name, key, value) and f"{name}.{key}" not in self.blocked

    def copy(self, name):
        found = lookup(self.made, name)
        if found is None:
            if name in FACADES:
                self.made[name] = found = facade(name)
                return found
            source = sys.modules[name].__dict__
            self.made[name] = found = ModuleType(name, lookup(source, "__doc__"))
            replaced = REPLACED[name](sys.modules[name]) if name in REPLACED else {}
            for key, value in items_of(source):
                if self.visible(name, key, value):
                    found.__dict__[key] = lookup(replaced, key) or self.shown(name, key, value)
            found.__getattr__ = self.late(name, source, found)
        return found

    def shown(self, name, key, value):
        if isinstance(value, ModuleType):
            return self.copy(f"{name}.{key}")
        # __all__ would name what is left out, and is the library's own list.
        return [item for item in value if item not in lookup(WITHHELD, name, ())] if key == "__all__" else value

    def late(self, name, source, found):
        """The namespace's __getattr__: what was not there yet when it was made,
        such as a submodule that some library has imported since."""
        def __getattr__(key):
            # A program calls it with names of classes of its own, too.
            key = exact(key)
            if key[:1] != "_":
                value = lookup(source, key)
                if value is not None and self.visible(name, key, value):
                    return self.shown(name, key, value)
                if refused := withheld(name, key):
                    raise PolicyViolation(refused)
                if "__getattr__" in source:
                    return source["__getattr__"](key)
            raise AttributeError(f"module {name!r} has no attribute {key!r}", name=key, obj=found)
        return __getattr__

    def of(self, name):
        """The namespace of a listed module, or an empty parent of one."""
        if name in COPIED:
            return self.copy(name)
        found = lookup(self.made, name)
        if found is None:
            self.made[name] = found = ModuleType(name)
            found.__path__ = []
        return found

    def bind(self, name):
        """The namespace of a dotted name, hung into its parents."""
        last, found = name, self.of(name)
        while "." in last:
            parent, _, tail = last.rpartition(".")
            above = self.of(parent)
            above.__dict__[tail] = self.of(last)
            last = parent
        return found
