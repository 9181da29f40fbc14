# What a program sees in the place of a few names of a module: what takes names
# of attributes in the library's own C code, and what is only partly harmless.

def by_class(real, make):
    """A class that stands for one that cannot be subclassed. Its objects hold
    one of the real class where no attribute leads, nor a slot, which another
    class could have as well and be given to the object: from the real class a
    program could make others, with any name."""
    from _weakref import ref
    held = {}

    def __new__(cls, /, *args, **keywords):
        self = new(cls)
        key = id(self)
        held[key] = real(*make(*args), **keywords), ref(self, lambda gone: drop(held, key))
        return self

    def read(self):
        if id(self) not in held:
            raise TypeError(f"{real.__qualname__} made by nobody")
        return held[id(self)][0]

    def __call__(self, /, *args, **keywords):
        return read(self)(*args, **keywords)

    def __init_subclass__(cls, /, **keywords):
        raise TypeError(f"type '{real.__module__}.{real.__qualname__}' is not an acceptable base type")

    def itself(self, memo=None):
        return self

    new, drop = object.__new__, dict.pop
    return type(real.__name__, (), {
        "__new__": __new__, "__call__": __call__, "__repr__": lambda self: repr(read(self)), "__copy__": itself,
        "__deepcopy__": itself, "__init_subclass__": __init_subclass__, "__doc__": real.__doc__,
        "__module__": real.__module__, "__qualname__": real.__qualname__, "__slots__": ("__weakref__",)})


def operator_names(module):
    def attributes(*names):
        names = tuple(map(exact, names))
        for name in names:
            any(map(refuse_name, name.split(".")))
            if "__dict__" in name.split("."):
                # That of a class is the class's own table, not what vars shows of it.
                raise PolicyViolation("attribute __dict__ is read by a getter: call vars")
        return names

    def method(*args):
        if args:
            refuse_name(exact(args[0]))
            return exact(args[0]), *args[1:]
        return args
    return {"attrgetter": by_class(module.attrgetter, attributes), "methodcaller": by_class(module.methodcaller, method)}


# Functions of a module's namespace that differ from the library's own.
REPLACED = {"operator": operator_names}


# What a program sees of a module that is not copied but imitated.
FACADES = {
    "sys": frozenset("""
        api_version argv byteorder copyright exc_info exception exit float_info
        float_repr_style get_int_max_str_digits getdefaultencoding getrecursionlimit getrefcount
        getsizeof hash_info hexversion implementation int_info intern maxsize maxunicode platform
        set_int_max_str_digits setrecursionlimit stderr stdin stdout thread_info version version_info
        """.split()),
}


def plain_stream(real, name):
    """A standard stream without the objects beneath it: of those a program could
    make others, which open files and give views of memory that they give back."""
    def made(source, names):
        def calling(method):
            def call(self, *args, **keywords):
                return method(*args, **keywords)
            call.__name__, call.__doc__ = method.__name__, method.__doc__
            return call
        return {name: calling(getattr(source, name)) for name in names.split() if hasattr(source, name)}

    shared = "close fileno flush isatty read readable readline readlines seekable writable write writelines "
    shared += "__iter__ __next__"
    buffer = type("Buffer", (), made(real.buffer, shared + " readinto read1"))()
    names = {"buffer": buffer, "encoding": real.encoding, "errors": real.errors, "mode": real.mode, "name": real.name,
             "newlines": None, "line_buffering": True, "closed": property(lambda self: real.closed),
             "__repr__": lambda self: f"<standard stream {name}>"}
    return type("TextStream", (), names | made(real, shared + " reconfigure"))()


def stream_of(name):
    """A property that is a stream of sys, plain while it is the one of the start."""
    start = getattr(sys, name)
    plain = plain_stream(start, name)

    def read(self):
        found = getattr(sys, name)
        return plain if found is start else found

    def write(self, value):
        setattr(sys, name, start if value is plain else value)

    return property(read, write)


class SysFacade(ModuleType):
    """The module sys without the interpreter: numbers, functions that answer
    them, and the three streams, which a program may replace."""


def facade(name):
    for key in ("stdin", "stdout", "stderr"):
        setattr(SysFacade, key, stream_of(key))
    found = SysFacade(name, "Numbers of the interpreter, and the program's streams.")
    for key in FACADES[name] - {"stdin", "stdout", "stderr"}:
        if hasattr(sys, key):
            found.__dict__[key] = getattr(sys, key)
    found.argv = list(sys.argv)
    return found
