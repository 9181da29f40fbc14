# Functions that take the place of builtins for a program, or of the builtins in
# a module of the library. They are closures: what they use is reached by no
# attribute that a program may name.

# What reads one attribute of any object, or sets it.
DESCRIPTORS = frozenset((
    type(type.__dict__["__mro__"]), type(type.__dict__["__dict__"]), type(type.__dict__["__call__"]),
    type(type.__dict__["mro"]), type(dict.__dict__["fromkeys"]),
))


# Bound at the start: a program that changes the table of a builtin type is not
# asked by the guards.
text_of, lookup, items_of, set_item = str.__str__, dict.get, dict.items, dict.__setitem__


def exact(name):
    """The text of a name, whatever its class has overridden."""
    if not issubclass(type(name), str):
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
    return text_of(name)


def refuse_name(name):
    """Raises if an attribute that is chosen when the program runs is refused."""
    if name in FRAMES or name[:9] == "__dict__." or dunder(name) and name not in HARMLESS and name not in FOR_LIBRARY:
        raise PolicyViolation(f"attribute {name} reaches into the interpreter")


def guarded_getattr(thing, name, *default):
    """getattr(object, name[, default]) -> value"""
    name = exact(name)
    refuse_name(name)
    if name == "__dict__":
        return table_of(thing, *default)
    return getattr(thing, name, *default)


def guarded_setattr(thing, name, value):
    """Sets the named attribute on the given object to the specified value."""
    name = exact(name)
    refuse_name(name)
    if name == "__class__":
        raise PolicyViolation("attribute __class__ is set")
    setattr(thing, name, value)


def guarded_delattr(thing, name):
    """Deletes the named attribute from the given object."""
    name = exact(name)
    refuse_name(name)
    delattr(thing, name)


def check_format(value):
    """What str.format asks before it reads attributes; see the shim."""
    for name in format_attributes(exact(value)):
        refuse_name(name)


def table_of(thing, *default):
    """The __dict__ of an object. A class's is a view of a copy, for comparing a
    view hands out what it is a view of, and without the descriptors that lead
    into the interpreter. A module's, if it is the library's own, is a copy
    without what leads there."""
    value = getattr(thing, "__dict__", *default)
    if type(value) is dict and issubclass(type(thing), ModuleType) and (
            lookup(value, "__spec__") is not None or lookup(value, "__builtins__") is builtins.__dict__):
        return {key: item for key, item in items_of(value) if key not in RESERVED}
    if type(value) is not MappingProxyType:
        return value
    return MappingProxyType({
        # Its method items would hand the table to what dict's is.
        key: value[key] for key in value if not (type(key) is str and hidden(key, value[key]))})


def hidden(key, item):
    if type(item) not in DESCRIPTORS:
        return any(item is door for door in DOORS)
    if key == "__dict__":
        return item.__objclass__ is type
    return key in FRAMES or dunder(key) and key not in HARMLESS and key != "__weakref__"


class Table:
    """What x.__dict__ is rewritten to reads: DICT(x).value."""

    __slots__ = ("value",)

    def __init__(self, thing):
        self.value = table_of(thing)


def checked(policy, source):
    """The code of a text that a program evaluates, under the program's policy."""
    source = exact(source).lstrip(" \t")
    tree = compile(source, "<string>", "eval", ONLY_AST, True)
    found, changed = check(tree, source, policy)
    if found:
        raise PolicyViolation(f"in {source[:100]!r}, {found[0][4]}")
    return compile(tree, "<string>", "eval", 0, True)


def make_builtins(policy):
    """The builtins of user frames: less what the policy blocks, with the frames'
    own views of their variables, and with guards for what takes names."""
    frame_of, builtins_of = sys._getframe, type(sys._getframe()).__dict__["f_builtins"].__get__

    def own_frame(name):
        # Library code that calls what it is given would show its own variables.
        frame = frame_of(2)
        if builtins_of(frame) is not table:
            raise PolicyViolation(f"{name} is called by the library")
        return frame

    def globals():
        """Return the dictionary containing the current scope's global variables."""
        return own_frame("globals").f_globals

    def locals():
        """Return a dictionary containing the current scope's local variables."""
        found = own_frame("locals").f_locals
        return found if isinstance(found, dict) else dict(found)

    def vars(*things):
        """vars([object]) -> dictionary"""
        if not things:
            return own_frame("vars").f_locals
        if len(things) > 1:
            raise TypeError(f"vars expected at most 1 argument, got {len(things)}")
        try:
            return table_of(*things)
        except AttributeError:
            raise TypeError("vars() argument must have __dict__ attribute") from None

    def guarded_eval(source, globals=None, locals=None, /):
        """Evaluate the given source in the context of globals and locals."""
        if not isinstance(source, str):
            raise TypeError("eval() arg 1 must be a string")
        if globals is None:
            frame = own_frame("eval")
            globals, locals = frame.f_globals, frame.f_locals if locals is None else locals
        elif lookup(globals, "__builtins__") is None:
            set_item(globals, "__builtins__", table)
        return eval(checked(policy, source), globals, locals)

    table = dict(builtins.__dict__)
    for function in (globals, locals, vars, guarded_eval, guarded_getattr, guarded_setattr, guarded_delattr):
        name = function.__name__.removeprefix("guarded_")
        function.__name__ = function.__qualname__ = name
        function.__module__ = "builtins"
        table[name] = function
    for name in (*policy.names, *UNAVAILABLE, "__loader__", "__spec__"):
        table.pop(name, None)
    table[DICT] = Table
    return table
