# What is changed in modules of the library, each as soon as it is loaded, by
# whomever. A function of the library that reads or sets attributes, or
# evaluates text, by a name that it is given does so with the library's
# privileges; a name in its module that hides the builtin is enough to stop it.

def evaluated(text, where, mode, *rest):
    """compile for text that a program hands to the library."""
    tree = compile(exact(text), where, mode, ONLY_AST, True)
    walk = Check(Policy("", "", "", ""), "")
    walk.walk(tree)
    walk.judge_attributes()
    for node in walk.names:
        if dunder(node.id) and node.id not in HARMLESS:
            walk.report(node, "name_blocked", node.id, f"{node.id} reaches into the interpreter")
    if walk.found:
        raise PolicyViolation(f"in {exact(text)[:100]!r}, {min(walk.found)[4]}")
    rewrite(walk)
    made = compile(tree, where, mode, 0, True)
    EVALUATED[id(made)] = made
    return made


# The code that evaluated has made, by identity: typing keeps it where a program can
# put other code, and text.
EVALUATED = {}


def make_eval(namespaces, table):
    """eval and exec for the library: with the builtins of the program, and with
    what the program sees of a module instead of the module."""
    # Not the table itself, which tells frames of the program from others.
    given = dict(table)
    TABLES.extend((table, given))

    def seen(space):
        """The variables of a module say nothing of their kind: those of one in C
        have no builtins. So it is asked whose they are."""
        names = named(space)
        if not names or "__main__" in names:
            return space
        return next((dict(namespaces.of(name).__dict__) for name in names if name in namespaces.allowed), {})

    def scope(globals):
        globals = {} if globals is None else seen(globals)
        own = lookup(globals, "__builtins__")
        if own is builtins or own is builtins.__dict__:
            return {"__builtins__": given}
        if own is None:
            set_item(globals, "__builtins__", given)
        return globals

    def guarded_eval(code, globals=None, locals=None):
        if lookup(EVALUATED, id(code)) is not code:
            raise PolicyViolation("what typing evaluates is not what it was given")
        # For classes, typing takes the module's names for the local ones.
        return eval(code, scope(globals), locals if locals is None else seen(locals))

    return guarded_eval, make_exec(given)


def make_exec(given):
    """exec for data classes, whose functions are text made of field names."""
    def guarded_exec(text, globals, locals):
        tree = compile(text, "<string>", "exec", ONLY_AST, True)
        walk = Check(Policy("", "", "", ""), "")
        walk.walk(tree)
        walk.judge_attributes()
        for name in walk.own:
            refuse_field(name)
        for node in walk.names:
            refuse_field(node.id)
        if walk.found:
            raise PolicyViolation(f"in a data class, {min(walk.found)[4]}")
        rewrite(walk)
        if "__main__" not in named(globals):
            # A function in a module's variables would be the module's.
            globals = {"__builtins__": given, "__name__": lookup(globals, "__name__")}
        exec(compile(tree, "<string>", "exec", 0, True), globals, locals)

    def refuse_field(name):
        if dunder(name) and name not in HARMLESS and not name.startswith(("__dataclass_", "__create_fn__")):
            raise PolicyViolation(f"{name} as a field of a data class reaches into the interpreter")

    return guarded_exec


TYPING = frozenset("__globals__ __mro_entries__ __no_type_check__ __unpacked__ __func__".split())


def of_typing(name):
    """Says whether typing itself reads or sets the name, beside what a program may."""
    return name.startswith("__typing_") or name in TYPING


class ModulesSeen:
    """What typing is to find in sys.modules: copies, for it evaluates in them."""

    def __init__(self, namespaces):
        self.namespaces = namespaces

    def get(self, name, default=None):
        name = exact(name) if issubclass(type(name), str) else ""
        if name == "__main__":
            return sys.modules[name]
        if name not in self.namespaces.allowed or name not in sys.modules:
            return default
        found = ModuleType(name)
        found.__dict__.update(self.namespaces.of(name).__dict__)
        return found


def below_directory(path, mode="r", *rest, **options):
    """open for ElementTree, which takes paths."""
    whole = path if type(path) is int else posix.fspath(path)
    if type(whole) is not str or names_of(whole) is None:
        why = "the import policy has no files outside the working directory; use fromstring and tostring"
        raise PermissionError(1, why, path)
    return open(whole, mode, *rest, **options)


def refuser(name, why):
    def refused(*args, **keywords):
        raise PolicyViolation(f"{name} is withheld: {why}")
    refused.__name__ = name
    return refused


def library(namespaces, table):
    """What to do with a module's namespace, by the module's name."""
    guarded_eval, guarded_exec = make_eval(namespaces, table)
    frame_of, builtins_of = sys._getframe, type(sys._getframe()).__dict__["f_builtins"].__get__

    def typing(space):
        space["compile"], space["eval"] = evaluated, guarded_eval
        space["sys"] = stand_in = ModuleType("sys")
        stand_in.__dict__.update(sys.__dict__, modules=ModulesSeen(namespaces))
        alias = space["_BaseGenericAlias"]
        forward, forward_set = alias.__getattr__, alias.__setattr__

        def __getattr__(self, name):
            name = exact(name)
            if dunder(name) and name not in ("__name__", "__qualname__"):
                # Whoever asks for such a name, as copy does, is told that it is not there.
                raise AttributeError(name)
            refuse_name(name)
            return forward(self, name)

        def __setattr__(self, name, value):
            name = exact(name)
            if not of_typing(name):
                refuse_name(name)
            if name in ("__class__", "__dict__"):
                raise PolicyViolation(f"attribute {name} is set")
            forward_set(self, name, value)
        alias.__getattr__, alias.__setattr__ = __getattr__, __setattr__

        def get(thing, name, *default):
            name = exact(name)
            if of_typing(name):
                return getattr(thing, name, *default)
            return guarded_getattr(thing, name, *default)

        def put(thing, name, value):
            # A named tuple is given all that the text of its class defines.
            name = exact(name)
            if not issubclass(type(thing), type) or name in ("__bases__", "__class__", "__abstractmethods__"):
                return guarded_setattr(thing, name, value)
            setattr(thing, name, value)
        space["getattr"], space["setattr"] = get, put
        kind = space["_GenericAlias"]
        reduce = kind.__reduce__

        def __reduce__(self):
            name = self._name
            if name and (type(name) is not str or name[:1] == "_" or not visible("typing", name, lookup(space, name))):
                raise PolicyViolation(f"a generic alias named {name} copies itself")
            # A subclass may answer otherwise when it is asked again.
            return reduce(SimpleNamespace(_name=name, __origin__=self.__origin__, __args__=self.__args__))
        kind.__reduce__ = __reduce__

    def copy(space):
        space["setattr"] = guarded_setattr
        # A method copies itself by getattr with its function's name.
        space["_copy_dispatch"][type(refuser("", "").__get__(0))] = lambda method: method
        real, read = space["_reconstruct"], getattr

        def _reconstruct(x, memo, func, *rest, **options):
            # Enumerations and descriptors are made again by getattr, with a name of theirs.
            return real(x, memo, guarded_getattr if func is read else func, *rest, **options)
        space["_reconstruct"] = _reconstruct

    def dataclasses(space):
        space["exec"], space["getattr"], space["setattr"] = guarded_exec, guarded_getattr, guarded_setattr

    def enum(space):
        kind = space["EnumType"]
        convert = kind._convert_

        def _convert_(cls, *args, **keywords):
            # Modules of the library make enumerations of their names, as they are loaded.
            frame = frame_of(1)
            if builtins_of(frame) is not builtins.__dict__ or frame.f_code.co_name != "<module>":
                raise PolicyViolation("_convert_ reads the names of a module")
            return convert(cls, *args, **keywords)
        kind._convert_ = _convert_

    def contextlib(space):
        # It keeps the stream that it redirects, and may be told of any attribute.
        def stream(thing, name, function, *rest):
            if thing is not sys:
                return function(thing, name, *rest)
            name = exact(name)
            if name not in ("stdin", "stdout", "stderr"):
                raise PolicyViolation(f"sys.{name} is not a stream")
            return function(namespaces.of("sys"), name, *rest)
        space["getattr"] = lambda thing, name, *rest: stream(thing, name, getattr, *rest)
        space["setattr"] = lambda thing, name, value: stream(thing, name, setattr, value)

    def types(space):
        real = space["coroutine"]
        code_of = FunctionType.__dict__["__code__"].__get__
        generator, coroutines = 0x20, 0x180  # CO_GENERATOR, CO_COROUTINE | CO_ITERABLE_COROUTINE

        def coroutine(func):
            """Convert regular generator function to a coroutine."""
            flags = code_of(func).co_flags if type(func) is FunctionType else 0
            # Of anything else it makes no code, but calls what the program has written.
            if not flags & generator or flags & coroutines:
                return real(func)
            RECODED.append(func)
            SHIM.permit("code.__new__")
            try:
                return real(func)
            finally:
                SHIM.permit(None)
                RECODED.remove(func)
        coroutine.__qualname__, coroutine.__module__ = real.__qualname__, real.__module__
        space["coroutine"] = coroutine

    def threading(space):
        real = space["excepthook"]
        # A program sets threading.excepthook in what it sees of the module.
        space["excepthook"] = lambda args: namespaces.of("threading").__dict__.get("excepthook", real)(args)
        namespaces.of("threading").__dict__["excepthook"] = real
        # A thread keeps the stream for its errors.
        space["Thread"]._stderr = property(lambda self: namespaces.of("sys").stderr, lambda self, value: None)
        for thread in space["_active"].values():
            thread.__dict__.pop("_stderr", None)

    def loops(space):
        for name, kind in tuple(space.items()):
            if isinstance(kind, type) and name.endswith("EventLoop") and kind.__module__ == space["__name__"]:
                for method in LOOP_METHODS & kind.__dict__.keys():
                    setattr(kind, method, refuser(method, NO_NETWORK))

    def getting(space):
        space["getattr"] = guarded_getattr

    def pprint(space):
        getting(space)
        space["_sys"] = namespaces.of("sys")  # it keeps the stream that it prints to

    def selector_loops(space):
        loops(space)
        pair = space["socket"].socketpair

        def without_class(end):
            """An end of a loop's own pair of sockets: their class would make others."""
            class End:
                __slots__ = ()

                def fileno(self): return end.fileno()
                def recv(self, size): return end.recv(size)
                def send(self, data): return end.send(data)
                def close(self): end.close()
            end.setblocking(False)
            return End()

        def _make_self_pipe(self):
            self._ssock, self._csock = map(without_class, pair())
            self._internal_fds += 1
            self._add_reader(self._ssock.fileno(), self._read_from_self)
        space["BaseSelectorEventLoop"]._make_self_pipe = _make_self_pipe

    def functools(space):
        space["getattr"], space["setattr"] = guarded_getattr, guarded_setattr
        kind = space["cached_property"]
        real = kind.__get__

        def __get__(self, instance, owner=None):
            # It reads its name, which may be set to any, in the object's table.
            if issubclass(type(instance), type):
                raise PolicyViolation("cached_property reads the table of a class")
            return real(self, instance, owner)
        kind.__get__ = __get__

    def tree(space):
        space["open"] = below_directory

    return {
        "typing": typing, "copy": copy, "dataclasses": dataclasses, "enum": enum, "contextlib": contextlib,
        "types": types, "threading": threading, "string": getting, "pprint": pprint, "functools": functools,
        "xml.etree.ElementTree": tree, "asyncio.base_events": loops, "asyncio.selector_events": selector_loops,
        "asyncio.unix_events": loops,
    }


# What an event loop can do beside timers, tasks and threads.
LOOP_METHODS = frozenset("""
add_reader add_signal_handler add_writer connect_accepted_socket connect_read_pipe
connect_write_pipe create_connection create_datagram_endpoint create_server create_unix_connection
create_unix_server getaddrinfo getnameinfo remove_reader remove_signal_handler remove_writer
sendfile sock_accept sock_connect sock_recv sock_recv_into sock_recvfrom sock_recvfrom_into
sock_sendall sock_sendfile sock_sendto start_tls subprocess_exec subprocess_shell
""".split())


# Programs read collections.abc as an attribute, which is there as soon as anybody
# has imported it: in a bare interpreter the site module has.
COLLECTIONS = {"collections": lambda space: __import__("collections.abc")}

# Names that this has added to a module: no program is to see them.
ADDED = {}


class Finder:
    """Changes modules of the library when somebody loads them, and gives
    linecache the program's text: tracebacks then show the lines, and runs
    without one do not pay for it."""

    def __init__(self, changes):
        self.changes = {"linecache": self.fill, **changes}
        self.code = None

    def tell(self, code):
        """The program's text is there."""
        self.code = code
        loaded = lookup(sys.modules, "linecache")
        if loaded and "linecache" not in self.changes:
            self.fill(loaded.__dict__)

    def fill(self, space):
        if self.code is None:
            return
        lines = [line + "\n" for line in split(self.code)]
        space["cache"][FILENAME] = (len(self.code), None, lines, FILENAME)

    def find_spec(self, name, path=None, target=None):
        change = self.changes.get(name)
        if change is None:
            return None
        from _frozen_importlib_external import PathFinder
        del self.changes[name]
        spec = PathFinder.find_spec(name, path)
        if spec:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                self.change(name, change, module.__dict__)

            spec.loader.exec_module = exec_module
        return spec

    def change_loaded(self):
        for name in [name for name in self.changes if name in sys.modules]:
            self.change(name, self.changes.pop(name), sys.modules[name].__dict__)

    def change(self, name, change, space):
        before = frozenset(space)
        change(space)
        ADDED[name] = frozenset(space) - before
