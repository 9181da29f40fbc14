# What cannot be judged by the text alone is rewritten before it is compiled, so
# that the program reads the same and the attribute is chosen by nobody else.
#
# x.__dict__ of a class is a view of a table full of descriptors, each of which
# reads one attribute of any object. The view is asked for through a function of
# ours that leaves out what leads into the interpreter.
#
# case C(a, b) reads the attributes that C.__match_args__ names when the program
# runs, which may be any. It becomes case C(x=a, y=b), with the names that the
# text gives to C.

# Names of builtins that no program can write.
DICT = ".__dict__"

# How many classes above one are looked at.
MAX_BASES = 100

# Builtin types whose one positional pattern is matched against the object itself.
SELF = frozenset("bool bytearray bytes dict float frozenset int list set str tuple".split())


def rewrite(walk):
    """Rewrites the tree of a walk. Says whether it changed."""
    if walk.found:
        return False
    changed = False
    for node in walk.tables:
        place = place_of(node)
        node.value = Call(Name(DICT, Load(), **place), [node.value], [], **place)
        node.attr = "value"
        changed = True
    if walk.patterns:
        classes = Classes(walk)
        for node in walk.patterns:
            changed = classes.rewrite(node) or changed
    return changed


class Classes:
    """What the text says of the classes that patterns name."""

    def __init__(self, walk):
        self.walk = walk
        self.nodes = {}
        for node in walk.classes:
            self.nodes.setdefault(node.name, []).append(node)
        # Names are what the text says unless something binds them by a name
        # that is put together.
        self.dynamic = walk.star or any(
            node.id in ("globals", "locals", "vars") for node in walk.names)

    def rewrite(self, node):
        if node.cls.__class__ is Name:
            name = node.cls.id
            if self.is_self(name) and len(node.patterns) == 1 and not node.kwd_attrs:
                return self.rewrite_self(node)
            fields = self.fields(name, ())
            if fields and len(fields) >= len(node.patterns):
                names = fields[:len(node.patterns)]
                if not set(names) & set(node.kwd_attrs) and not any(name == "__dict__" or refuse_attribute(name) for name in names):
                    node.kwd_attrs = names + node.kwd_attrs
                    node.kwd_patterns = node.patterns + node.kwd_patterns
                    node.patterns = []
                    return True
        self.walk.report(node, "attribute_blocked", "__match_args__", (
            "a pattern by position reads attributes that the text does not show: "
            "write case C(x=a, y=b), or write __match_args__ = (\"x\", \"y\") into class C"))
        return False

    def rewrite_self(self, node):
        inner = node.patterns[0]
        if inner.__class__ is MatchAs and inner.pattern is None and inner.name:
            node_again = node.__class__(node.cls, [], [], [], **place_of(node))
            # In place: what holds the node need not be known.
            node.__class__ = MatchAs
            node.pattern, node.name = node_again, inner.name
            return True
        if self.dynamic:
            self.walk.report(node, "attribute_blocked", "__match_args__", (
                f"beside globals, locals, vars or a star import it is not certain what {node.cls.id} is: "
                "write a guard: case value if isinstance(...)"))
        return False

    def is_self(self, name):
        """Says whether a name is one of SELF, or a class that has its pattern from one."""
        todo, seen = [name], set()
        while todo:
            name = todo.pop()
            if name in SELF and name not in self.walk.own:
                return True
            nodes = self.nodes.get(name, ())
            if name not in SELF and name not in seen and len(nodes) == 1 and self.fields(name, ()) is None:
                todo += [base.id for base in nodes[0].bases if base.__class__ is Name]
            seen.add(name)
        return False

    def fields(self, name, seen):
        """The attributes that patterns of a class by position read, if the text
        says so: the same for every class of the name."""
        found = [self.fields_of(node, (*seen, name)) for node in self.nodes.get(name, ()) if name not in seen and len(seen) < MAX_BASES]
        if not found:
            return self.walk_tuples().get(name)
        return found[0] if found.count(found[0]) == len(found) else None

    def fields_of(self, node, seen):
        own = []
        for statement in node.body:
            kind = statement.__class__.__name__
            if kind == "Assign" and any(getattr(t, "id", None) == "__match_args__" for t in statement.targets):
                return constants(statement.value)
            if kind == "AnnAssign" and statement.target.__class__ is Name:
                own.append((statement.target.id, statement))
        inherited = None
        for base in node.bases:
            last = last_name(base)
            if last == "NamedTuple":
                return [name for name, _ in own]
            if last == "namedtuple":
                return tuple_fields(base)
            if inherited is None and base.__class__ is Name:
                inherited = self.fields(base.id, seen)
        for decorator in node.decorator_list:
            if last_name(decorator) == "dataclass":
                return data_fields(decorator, own, inherited or [])
        return inherited

    def walk_tuples(self):
        """Names that are assigned a named tuple."""
        if not hasattr(self, "tuples"):
            self.tuples = {}
            for node in self.walk.assigned:
                if last_name(node.value) == "namedtuple" and len(node.targets) == 1 and node.targets[0].__class__ is Name:
                    self.tuples[node.targets[0].id] = tuple_fields(node.value)
        return self.tuples


def place_of(node):
    return {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def last_name(node):
    """collections.namedtuple(...) is namedtuple."""
    if node.__class__ is Call:
        node = node.func
    return node.attr if node.__class__ is Attribute else getattr(node, "id", None)


def constants(node):
    """The strings of a literal tuple or list, or None."""
    values = [getattr(item, "value", None) for item in getattr(node, "elts", ())]
    return values if values and all(value.__class__ is str for value in values) else None


def tuple_fields(call):
    if call.__class__ is not Call or len(call.args) < 2:
        return None
    names = call.args[1]
    if names.__class__ is Constant and names.value.__class__ is str:
        return names.value.replace(",", " ").split()
    return constants(names)


def data_fields(decorator, own, inherited):
    """The fields of a data class that its __init__ takes by position."""
    options = {item.arg: getattr(item.value, "value", None) for item in getattr(decorator, "keywords", ())}
    if options.get("match_args") is False or options.get("kw_only"):
        return None
    fields = list(inherited)
    for name, statement in own:
        annotation = last_name(getattr(statement.annotation, "value", None) or statement.annotation)
        if annotation == "KW_ONLY" or last_name(statement.annotation) == "KW_ONLY":
            break
        skipped = any(
            item.arg == "kw_only" and getattr(item.value, "value", None) or
            item.arg == "init" and getattr(item.value, "value", None) is False
            for item in getattr(statement.value, "keywords", ()))
        if "ClassVar" not in (annotation, last_name(statement.annotation)) and not skipped and name not in fields:
            fields.append(name)
    return fields
