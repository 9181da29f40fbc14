# The few attributes of builtin types by which any object leads to the
# interpreter's own modules. A name that is put together when the program runs
# can be read on more ways than anybody has counted: by patterns, format fields,
# getters, the library's own code, the tables of types. So they are replaced in
# the types, by descriptors that answer for what belongs to the program and know
# nothing of the rest, whoever asks.

FunctionType = type(strings)
FrameType = type(sys._getframe())
BuiltinType = type(len)
StreamTypes = {type(sys.stdin.buffer), type(sys.stdout.buffer)}
FileType = type(sys.stdout.buffer.raw)
GetSetType, MemberType = type(FunctionType.__dict__["__code__"]), type(FunctionType.__dict__["__globals__"])

# Functions that the library gives other code.
RECODED = []

# The builtins of the program's frames, and of what the library evaluates for it.
TABLES = []

# What stands in the tables of types now, to be hidden in what a program sees of them.
DOORS = []


def door(real, read, write=None):
    """A descriptor in the place of a real one. What it does is in closures, so
    that it has no attribute that leads on."""
    # The library learns the types of descriptors from the real ones.
    stands_for = FunctionType.__dict__["__doc__" if type(real) is MemberType else "__name__"]

    class Door:
        __slots__ = ()
        __doc__ = real.__doc__

        def __get__(self, thing, kind=None):
            return stands_for if thing is None else read(thing)

        def __set__(self, thing, value):
            if write is None:
                raise AttributeError("readonly attribute")
            write(thing, value)

    Door.__name__ = Door.__qualname__ = type(real).__name__
    Door.__module__ = "builtins"
    return Door()


def close_doors():
    """The replacements, by type and name."""
    globals_of = FunctionType.__dict__["__globals__"].__get__
    closure_of = FunctionType.__dict__["__closure__"].__get__
    frame_globals = FrameType.__dict__["f_globals"].__get__
    subclasses, self_of = type.__dict__["__subclasses__"], BuiltinType.__dict__["__self__"].__get__
    mro_of = type.__dict__["__mro__"].__get__
    table_of_type, file_type, modules = type.__dict__["__dict__"].__get__, FileType, sys.modules
    library = {"__main__"} | {name.partition(".")[0] for name in COPIED}
    lookup, module_type = dict.get, ModuleType
    view, copied = type(type.__dict__), dict

    def own(space):
        """Says whether a function or frame with these globals is the program's."""
        found = lookup(space, "__builtins__")
        known = any(found is table for table in TABLES) or type(found) is dict and not found  # a named tuple's has none
        return known and named(space) in ([], ["__main__"])

    def of_function(name, readable):
        real = FunctionType.__dict__[name]

        def read(function):
            if readable or own(globals_of(function)):
                return real.__get__(function)
            raise AttributeError(f"{name} of a function of the library")

        def write(function, value):
            if not own(globals_of(function)) and function not in RECODED:
                raise PolicyViolation(f"{name} of a function of the library is set")
            real.__set__(function, value)

        return door(real, read, write if hasattr(real, "__set__") else None)

    def closure(function):
        # The module types makes a cell to learn its type.
        space = globals_of(function)
        if own(space) or lookup(space, "__name__") == "types":
            return closure_of(function)
        raise AttributeError("__closure__ of a function of the library")

    def of_frame(name):
        real = FrameType.__dict__[name]

        def read(frame):
            space = frame_globals(frame)
            if own(space):
                return real.__get__(frame)
            # The library asks for the name of the module that called it.
            return {"__name__": lookup(space, "__name__")} if name == "f_globals" else {}

        return door(real, read)

    def bound_to(function):
        found = self_of(function)
        if isinstance(found, module_type):
            raise AttributeError("__self__ of a function of a module")
        return found

    def __subclasses__(cls):
        """Return a list of immediate subclasses."""
        # Abstract classes ask each other; a program's own are no secret.
        abstract = lookup(modules, "abc")
        roots = library if abstract and abstract.ABCMeta in mro_of(type(cls)) else ("__main__",)
        return [kind for kind in subclasses(cls) if str(module_of(kind, "")).partition(".")[0] in roots]

    def module_of(kind, default):
        table = table_of_type(kind)  # whose method get would hand it to what dict's is
        found = table["__module__"] if "__module__" in table else default
        return found if type(found) is str else default

    def streams(kind):
        """The standard streams, whose raw files are of a class that opens any."""
        raw, detach = kind.__dict__["raw"], kind.__dict__["detach"]

        def read(stream):
            found = raw.__get__(stream)
            if type(found) is file_type:
                raise AttributeError("raw file of a standard stream")
            return found

        def detached(self):
            """Disconnect this buffer from its underlying raw stream and return it."""
            read(self)
            return detach(self)
        detached.__name__, detached.__qualname__ = "detach", f"{kind.__name__}.detach"
        return {"raw": door(raw, read), "detach": detached}

    return {
        FunctionType: {
            "__globals__": of_function("__globals__", False), "__builtins__": of_function("__builtins__", False),
            "__code__": of_function("__code__", True), "__defaults__": of_function("__defaults__", False),
            "__kwdefaults__": of_function("__kwdefaults__", False),
            "__closure__": door(FunctionType.__dict__["__closure__"], closure),
        },
        FrameType: {name: of_frame(name) for name in ("f_globals", "f_locals", "f_builtins")},
        BuiltinType: {"__self__": door(BuiltinType.__dict__["__self__"], bound_to)},
        # A view hands the table itself to the other side of a comparison, and who
        # can write to the table of dict or str has every guard.
        type: {
            "__subclasses__": __subclasses__,
            "__dict__": door(type.__dict__["__dict__"], lambda kind: view(copied(table_of_type(kind)))),
        },
        **{kind: streams(kind) for kind in StreamTypes},
    }


def replace_in_types(changes):
    # All of them first: none can be had once that of type is changed.
    tables = [(kind, gc.get_referents(kind.__dict__)[0], names) for kind, names in changes.items()]
    for kind, table, names in tables:
        DOORS.extend(names.values())
        table.update(names)
        SHIM.type_changed(kind)
