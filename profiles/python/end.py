# The end. An interpreter that takes itself apart takes longer than a short program,
# and after a fork it copies each page that it frees. Nobody sees it unless it calls
# something: a thread to wait for, an exit handler, a finalizer, a weak reference's
# callback. Where none of that can be, the process leaves at once; where one might
# be, it ends as every interpreter does.

# Words without which no honest program gives a class of the library a finalizer, or
# looks on while the interpreter ends.
LOUD = ("__del__", "setattr", "audithook", "monitoring", "freeze", "set_debug")

# Modules in C whose objects write nothing anywhere when they are freed.
SILENT = frozenset("""
_abc _ast _asyncio _bisect _blake2 _bz2 _codecs _collections _contextvars _csv _datetime _decimal
_elementtree _functools _hashlib _heapq _imp _io _json _locale _lzma _md5 _opcode _operator _pickle
_posixsubprocess _queue _random _safe_exec _sha1 _sha2 _sha256 _sha3 _sha512 _signal _socket _sre _ssl _stat
_statistics _string _struct _symtable _thread _tokenize _tracemalloc _typing _uuid _warnings
_weakref _zoneinfo array atexit binascii builtins cmath errno faulthandler fcntl gc grp itertools
marshal math posix pwd pyexpat select sys termios time unicodedata zlib
""".split())


from _thread import _count as threads


class End:
    """What is there before the program, and whether it may be left at once."""

    def __init__(self, level):
        self.any_module, self.streams, self.handlers = not level.locked, self.now(), self.registered()
        # Kept, so that their numbers are not used again. Not all are modules: typing puts classes among them.
        self.there = {id(module): module for module in sys.modules.values()} if self.any_module else {}

    def now(self):
        streams = sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__
        # Attributes that a program gives a stream may stand for its methods.
        tables = [number for stream in streams for number in (len(stream.__dict__), len(stream.buffer.__dict__))]
        return *map(id, streams), *tables

    def registered(self):
        module = lookup(sys.modules, "atexit")
        return module._ncallbacks() if module else 0

    def leave(self, code, status):
        """Ends the process, if nothing can tell that from an ordinary end."""
        try:
            quiet = self.quiet(code)
            if quiet:
                sys.stdout.flush()
                sys.stderr.flush()
        except BaseException:
            quiet = False  # the ordinary end meets it again, and says so
        if quiet:
            posix._exit(status)
        gc.unfreeze()  # what was there before may hold what is the program's

    def quiet(self, code):
        if sys.gettrace() or sys.getprofile() or any(word in code for word in LOUD):
            return False
        if self.streams != self.now() or threads() or self.registered() != self.handlers or gc.callbacks:
            return False
        if self.any_module and not all(id(module) in self.there or silent(module) for module in tuple(sys.modules.values())):
            return False
        collecting = gc.isenabled()
        gc.disable()  # what it would find is to be found where the interpreter does
        SHIM.permit("gc.get_objects")
        try:
            return not calls_back(gc.get_objects())  # without those of before the program, which are frozen
        finally:
            SHIM.permit(None)
            if collecting:
                gc.enable()


table_of_module = ModuleType.__dict__["__dict__"].__get__


def silent(module):
    """Says whether a module is in Python, or in C and known."""
    if not issubclass(type(module), ModuleType):
        return False  # it may be anything
    spec = lookup(table_of_module(module), "__spec__")
    if spec is None:
        return True
    if type(spec) is not type(sys.__spec__):
        return False
    origin = spec.origin
    return not origin or origin != "built-in" and origin[-3:] != ".so" or spec.name in SILENT


def make_calls_back():
    """A function, made before the doors are closed, that says whether to free any of
    these objects may call something. It asks no class, which could answer itself.
    And one that learns classes ahead."""
    from _io import BytesIO, StringIO
    from _weakref import ref
    mro_of, table_of_type = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__
    flags_of, callback_of = type.__dict__["__flags__"].__get__, ref.__dict__["__callback__"].__get__
    generator, builtin, kind_of = type(i for i in ()), type(len), type
    collected = 1 << 14  # Py_TPFLAGS_HAVE_GC
    # Kept, so that their numbers are not used again.
    known = {id(kind): kind for kind in (
        dict, list, tuple, set, frozenset, type(id), type(gc), type(text), type(int.real), type(int.__add__), type(str.join),
        type(End.now), type(End.leave), property, classmethod, staticmethod)}

    def finalized(bases):
        return any("__del__" in table_of_type(base) for base in bases)

    def has(bases, kind):
        return any(base is kind for base in bases)

    def calls(callback):
        # Abstract classes forget a class by a function in C.
        return callback is not None and (kind_of(callback) is not builtin or callback.__name__ != "_destroy")

    def quiet(kind):
        """Says whether no object of the kind calls anything."""
        bases = mro_of(kind)
        return not finalized(bases) and not has(bases, ref) and not has(bases, kind_of)

    def know_kinds():
        """Learns the kinds that are there: to look at one copies pages after a fork."""
        known.update((id(kind), kind) for kind in gc.get_objects() if has(mro_of(kind_of(kind)), kind_of) and quiet(kind))

    def calls_back(objects):
        unknown = set(map(id, map(kind_of, objects))).difference(known)
        if not unknown:
            return False
        for kind in {id(kind): kind for kind in map(kind_of, objects) if id(kind) in unknown}.values():
            bases = mro_of(kind)
            if finalized(bases):
                # Of a generator only what it stands in can call something.
                if kind is generator:
                    if any(thing.gi_frame is not None for thing in objects if kind_of(thing) is kind):
                        return True
                elif kind is not BytesIO and kind is not StringIO:
                    return True
            if has(bases, ref) and any(calls(callback_of(thing)) for thing in objects if kind_of(thing) is kind):
                return True
            # The objects of a class that the collector does not look at are not among these.
            if has(bases, kind_of) and any(
                    not flags_of(thing) & collected and finalized(mro_of(thing))
                    for thing in objects if kind_of(thing) is kind):
                return True
        return False

    return know_kinds, calls_back


know_kinds, calls_back = make_calls_back()
