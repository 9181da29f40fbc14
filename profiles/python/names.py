# Which names the import policy refuses, and what to say of them.

# Attributes and names with two underscores on both ends that honest programs
# use and that lead nowhere by themselves.
HARMLESS = frozenset("""
__abs__ __add__ __aenter__ __aexit__ __aiter__ __all__ __and__ __anext__ __annotations__ __args__
__author__ __await__ __bool__ __bound__ __bytes__ __call__ __cause__ __ceil__ __class__
__class_getitem__ __complex__ __constraints__ __contains__ __context__ __contravariant__ __copy__
__copyright__ __covariant__ __credits__ __dataclass_fields__ __date__ __debug__ __deepcopy__ __del__
__delattr__ __delete__ __delitem__ __dir__ __divmod__ __doc__ __email__ __enter__ __eq__ __exit__
__file__ __final__ __float__ __floor__ __floordiv__ __format__ __forward_arg__ __future__ __ge__
__get__ __getitem__ __gt__ __hash__ __iadd__ __iand__ __ifloordiv__ __ilshift__ __imatmul__ __imod__
__imul__ __index__ __init__ __init_subclass__ __instancecheck__ __int__ __invert__ __ior__ __ipow__
__irshift__ __isub__ __iter__ __itruediv__ __ixor__ __le__ __len__ __length_hint__ __license__
__lshift__ __lt__ __main__ __maintainer__ __match_args__ __matmul__ __members__ __metadata__
__missing__ __mod__ __module__ __mul__ __name__ __ne__ __neg__ __new__ __next__ __notes__
__optional_keys__ __or__ __orig_bases__ __origin__ __parameters__ __pos__ __post_init__ __pow__
__qualname__ __radd__ __rand__ __rdivmod__ __repr__ __required_keys__ __reversed__ __rfloordiv__
__rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rsub__
__rtruediv__ __rxor__ __set__ __set_name__ __setattr__ __setitem__ __sizeof__ __slots__ __status__
__str__ __sub__ __subclasscheck__ __supertype__ __suppress_context__ __title__ __total__
__traceback__ __truediv__ __trunc__ __type_params__ __value__ __version__ __wrapped__ __xor__
""".split())

# What the library reads and sets by name on a program's behalf, beside those.
FOR_LIBRARY = frozenset("""
__dict__ __isabstractmethod__ __dataclass_params__ __type_params__ __text_signature__
""".split())

# Names that a program may not even bind: the interpreter looks them up itself.
RESERVED = frozenset("__builtins__ __loader__ __spec__ __import__ __build_class__".split())

# Attributes that hand out frames, code and the variables of other functions.
FRAMES = frozenset("""
ag_await ag_code ag_frame cell_contents co_code co_consts co_names cr_await cr_code cr_frame
cr_origin f_back f_builtins f_code f_globals f_locals f_trace gi_code gi_frame gi_yieldfrom
tb_frame
""".split())

WORKDIR_READS = 'use workdir: import workdir; workdir.read_text("name"), workdir.write_text("name", text)'

NO_PACKAGES = "no packages are installed, at any policy; write it with the modules that there are"

INSTEAD = {
    "open": WORKDIR_READS,
    "eval": "json.loads reads data, float and int read numbers",
    "exec": "write the statements into the program",
    "compile": "write the code into the program; re.compile is allowed",
    "getattr": "write object.name, or keep the values in a dictionary",
    "setattr": "write object.name = value, or keep the values in a dictionary",
    "__import__": "use an import statement",
    "breakpoint": "print what you want to see",
    "__mro__": "A.mro() gives the same for a class A",
    "__bases__": "A.mro() gives all bases of a class A",
    "__base__": "A.mro() gives all bases of a class A",
    "__getattribute__": "define __getattr__, which is asked for what is missing",
    "__self__": "keep the object in a variable of its own",
    "os": 'use workdir for files and variables (import workdir; workdir.list_files(), workdir.env["NAME"]); a program sees no processes',
    "sys": "print writes output, raise SystemExit ends the program; workdir.args, workdir.stdin() and input() give what the caller sent",
    "argparse": "workdir.args has the arguments",
    "fileinput": "workdir.stdin() and input() read the input",
    "pathlib": WORKDIR_READS,
    "glob": "use workdir: import workdir; workdir.list_files()",
    "shutil": WORKDIR_READS,
    "tempfile": 'use workdir: import workdir; workdir.write_text("name", text)',
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
    "decimal": "count in the smallest unit with int",
    "fractions": "keep numerator and denominator as int, math.gcd reduces",
    "dataclasses": "use typing.NamedTuple or a class with __init__",
    "enum": "use a class with constants",
    "cmath": "complex numbers and math do the same work",
    "io": "keep the text in a string, and files in workdir",
    "csv": "split lines at commas",
    "numpy": "use lists, math and statistics",
    "pandas": "use lists of dictionaries, collections.Counter and statistics",
    "sympy": "compute with int, math and statistics",
    "scipy": "use math and statistics",
    "matplotlib": 'print the numbers, or write a plot as SVG, which is text: workdir.write_text("plot.svg", svg)',
    "seaborn": 'print the numbers, or write a plot as SVG, which is text: workdir.write_text("plot.svg", svg)',
    "PIL": "write an image as SVG, which is text, with workdir",
    "sqlite3": "keep rows in lists and dictionaries; sorted, itertools.groupby and collections.Counter query them",
    "logging": "print what you want to see",
    "struct": "int.from_bytes(data[0:4], 'little') and n.to_bytes(4, 'little') do the same work",
    "threading": "do one thing after the other; a program has one processor",
    "multiprocessing": "do one thing after the other; a program has one processor",
    "unittest": "use assert",
    "pytest": "use assert",
    "traceback": "let the exception end the program: stderr has its traceback",
    "uuid": "secrets.token_hex(16) gives a random name",
    "collections.abc": "write import collections, then collections.abc.Mapping and so on",
}

def package(name):
    """Says whether a module is none of Python's own library."""
    return name.partition(".")[0] not in sys.stdlib_module_names | {"workdir", ""}


def instead(name):
    """What to write in a refused name's place; "" if nothing comes to mind."""
    hint = INSTEAD.get(name) or INSTEAD.get(name.partition(".")[0])
    if not hint and package(name):
        hint = NO_PACKAGES
    return f": {hint}" if hint else ""


def dunder(name):
    return len(name) > 4 and name[:2] == "__" == name[-2:]


class Policy:
    """The lists of one job, and what they say of one name."""

    def __init__(self, imports, blocked, names, constants):
        self.imports = frozenset(imports.split("\n")) - {""}
        self.blocked = frozenset(blocked.split("\n")) - {""}
        self.names = frozenset(names.split("\n")) - {""}
        self.constants = frozenset(constants.split("\n")) - {""} - self.names

    def refuse_import(self, name):
        """None if the dotted name may be imported, else rule and message."""
        if name in self.imports and name not in self.blocked:
            return None
        part = name
        while part and part not in self.blocked:
            part = part.rpartition(".")[0]
        if part:
            return "import_blocked", f"module {name} is blocked{instead(name)}"
        return "import_not_allowed", f"module {name} is not on the list of allowed imports{instead(name)}"

    def refuse_from(self, module, name):
        """The same for `from module import name`."""
        whole = f"{module}.{name}"
        if whole in self.imports and self.refuse_import(whole) is None:
            return None
        refused = self.refuse_import(whole if whole in self.blocked else module)
        if refused or name == "*":
            return refused
        if name[:1] == "_" and name not in HARMLESS:
            return "attribute_blocked", f"{name} is private to module {module}"
        if refused := withheld(module, name):
            return "attribute_blocked", refused
        try:
            __import__(module)
        except Exception:
            return None  # the program's own import will say what is wrong
        # The statement falls back to what is loaded under the whole name.
        if (isinstance(lookup(sys.modules[module].__dict__, name), ModuleType) or whole in sys.modules) and whole not in SUBMODULES:
            return "attribute_blocked", (
                f"{name} is a module that {module} uses itself; "
                "only modules on the list of allowed imports can be imported")
        return None


def refuse_attribute(name, module=None, storing=False):
    """Says why an attribute is refused, or None. module is the allowed module
    that it is an attribute of, if the text shows it."""
    if name in FRAMES or name[:9] == "__dict__.":
        return f"attribute {name} gives access to frames, code and tables"
    if name[:1] != "_":
        return withheld(module, name)
    if not dunder(name):
        return f"{name} is private to module {module}" if module else None
    if name == "__dict__" and not module:
        return None
    if name in HARMLESS and not (storing and name == "__class__"):
        return None
    return f"attribute {name} reaches into the interpreter{instead(name)}"


def format_attributes(value):
    """The attributes that the replacement fields of a format string name, by the
    interpreter's own parser."""
    from _string import formatter_field_name_split, formatter_parser
    todo = [value]
    while todo:
        try:
            for literal, field, spec, conversion in formatter_parser(todo.pop()):
                if spec:
                    todo.append(spec)
                if field:
                    table = False
                    for attribute, name in formatter_field_name_split(field)[1]:
                        if attribute:
                            # As text a table is harmless; the error of what it lacks carries it.
                            yield "__dict__." + name if table else name
                        table = attribute and name == "__dict__"
        except ValueError:
            pass  # formatting fails there too, if it is a format string at all
