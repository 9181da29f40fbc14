# The import policy, on the tree that will run.

MAX_VIOLATIONS = 100

# Every kind of node that somebody has looked at. A newer interpreter's syntax is
# refused by name until it is here; younger ones than the interpreter's are left
# out. Leaves hold nothing.
LEAVES = """
Add And BitAnd BitOr BitXor Break Continue Del Div Eq FloorDiv Gt GtE In Invert Is IsNot LShift
Load Lt LtE MatMult Mod Mult Not NotEq NotIn Or Pass Pow RShift Store Sub UAdd USub
"""
NODES = """
AnnAssign Assert Assign AsyncFor AsyncFunctionDef AsyncWith Attribute AugAssign Await BinOp BoolOp
Call ClassDef Compare Constant Delete Dict DictComp ExceptHandler Expr For FormattedValue
FunctionDef GeneratorExp Global If IfExp Import ImportFrom JoinedStr Lambda List ListComp Match
MatchAs MatchClass MatchMapping MatchOr MatchSequence MatchSingleton MatchStar MatchValue Module
Expression Name NamedExpr Nonlocal ParamSpec Raise Return Set SetComp Slice Starred Subscript Try
TryStar Tuple TypeAlias TypeVar TypeVarTuple UnaryOp While With Yield YieldFrom alias arg arguments
comprehension keyword match_case withitem
"""


# Fields that hold no node a rule is about.
PLAIN = """
arg asname attr conversion ctx id is_async kind kwd_attrs level lineno module name rest simple tag type_comment
"""


def load_tree_classes():
    """Half a millisecond of the interpreter's work, done while the daemon looks
    at the jail."""
    global FIELDS
    import _ast
    kinds = _ast.__dict__
    leaves = {kinds[name] for name in LEAVES.split()}
    plain = set(PLAIN.split())
    if all(leaves.issuperset(kinds[base].__subclasses__()) for base in ("operator", "unaryop", "cmpop", "boolop")):
        plain |= {"op", "ops"}
    FIELDS = {kinds[name]: tuple(field for field in kinds[name]._fields if field not in plain)
              for name in NODES.split() if name in kinds} | dict.fromkeys(leaves, ())
    for name in ("Assign", "AsyncFunctionDef", "Attribute", "AugAssign", "Call", "ClassDef", "Constant",
                 "ExceptHandler", "FunctionDef", "Global", "Import", "ImportFrom", "Load", "MatchAs", "MatchClass",
                 "MatchMapping", "MatchStar", "Name", "Nonlocal", "Store", "arg"):
        globals()[name] = kinds[name]


class Check:
    """One walk over a tree: what it breaks, and what has to be rewritten."""

    def __init__(self, policy, code):
        self.policy, self.code = policy, code
        self.found = []  # (line, offset, rule, name, message)
        self.own = set()  # names that the program binds
        self.modules = {}  # those that are modules, and which
        self.star = False  # it has a star import
        self.names, self.attributes, self.patterns, self.classes, self.assigned, self.tables = [], [], [], [], [], []
        self.called = set()  # ids of the names that a good call of a constant name begins with

    def report(self, node, rule, name, message):
        self.found.append((getattr(node, "lineno", 1), getattr(node, "col_offset", 0), rule, name, message))

    def bind(self, node, name):
        self.own.add(name)
        if name in RESERVED:
            self.report(node, "name_blocked", name, f"{name} is the interpreter's own")

    def walk(self, tree):
        every, handlers, names, attributes = FIELDS, self.handlers(), self.names, self.attributes
        todo = [tree]
        while todo:
            node = todo.pop()
            kind = node.__class__
            if kind is Name:
                if node.ctx.__class__ is Store:
                    self.bind(node, node.id)
                else:
                    names.append(node)
                continue
            if kind is Attribute:
                attributes.append(node)
                todo.append(node.value)
                continue
            if kind in handlers and handlers[kind](node):
                continue
            fields = every.get(kind)
            if fields is None:
                if node is not None:
                    self.report(node, "syntax_not_allowed", kind.__name__,
                                f"syntax {kind.__name__} is newer than this policy: write it in an older way")
                continue
            for field in fields:
                value = getattr(node, field)
                if value.__class__ is list:
                    todo += value
                else:
                    todo.append(value)

    def handlers(self):
        """What to do with a node; those that return True have no children to visit."""
        return {
            Constant: self.constant, Call: self.call,
            FunctionDef: self.definition, AsyncFunctionDef: self.definition, ClassDef: self.class_definition,
            ExceptHandler: self.definition, MatchAs: self.definition, MatchStar: self.definition,
            arg: lambda node: self.bind(node, node.arg), MatchMapping: lambda node: self.bind(node, node.rest),
            Global: self.declaration, Nonlocal: self.declaration, MatchClass: self.class_pattern,
            Assign: self.assigned.append, AugAssign: self.augmented,
            Import: self.import_statement, ImportFrom: self.from_statement,
        }

    def constant(self, node):
        if node.value.__class__ is str and "{" in node.value and "." in node.value:
            for name in format_attributes(node.value):
                if refused := refuse_attribute(name):
                    self.report(node, "attribute_blocked", name, f"in a format string, {refused}")
        return True

    def call(self, node):
        """getattr and the like, if the level allows them with constant names."""
        if node.func.__class__ is Name and node.func.id in self.policy.constants and len(node.args) > 1:
            name = node.args[1]
            if name.__class__ is Constant and name.value.__class__ is str:
                if name.value[:1] != "_" and name.value not in FRAMES:
                    self.called.add(id(node.func))

    def definition(self, node):
        self.bind(node, node.name)

    def class_definition(self, node):
        self.bind(node, node.name)
        self.classes.append(node)

    def declaration(self, node):
        for name in node.names:
            self.bind(node, name)
        return True

    def augmented(self, node):
        if node.target.__class__ is Attribute and node.target.attr == "__dict__":
            self.report(node, "attribute_blocked", "__dict__", "__dict__ is changed in place: use its method update")

    def class_pattern(self, node):
        for name in node.kwd_attrs:
            if refused := refuse_attribute(name) or name == "__dict__" and "__dict__ is read: use vars":
                self.report(node, "attribute_blocked", name, f"in a pattern, {refused}")
        if node.patterns:
            self.patterns.append(node)

    def import_statement(self, node):
        for item in node.names:
            root = item.name.partition(".")[0]
            self.bind(item, item.asname or root)
            self.modules[item.asname or root] = item.name if item.asname else root
            if refused := self.policy.refuse_import(item.name):
                self.report(item, refused[0], item.name, refused[1])
        return True

    def from_statement(self, node):
        if node.module == "__future__" and not node.level:
            return True
        if node.level:
            name = "." * node.level + (node.module or "")
            self.report(node, "import_not_allowed", name, "a program is one file and has no package around it")
            return True
        refusals = []
        for item in node.names:
            self.bind(item, item.asname or item.name)
            self.star = self.star or item.name == "*"
            if refused := self.policy.refuse_from(node.module, item.name):
                refusals.append((item, refused))
            elif f"{node.module}.{item.name}" in self.policy.imports:
                self.modules[item.asname or item.name] = f"{node.module}.{item.name}"
        if len(refusals) == len(node.names) and refusals[0][1] == self.policy.refuse_import(node.module):
            self.report(node, refusals[0][1][0], node.module, refusals[0][1][1])
            return True
        for item, (rule, message) in refusals:
            self.report(item, rule, f"{node.module}.{item.name}", message)
        return True

    def judge_names(self):
        """What can be said only when it is known what the program binds."""
        policy, own = self.policy, self.own
        listed = policy.names | policy.constants | UNAVAILABLE
        for node in self.names:
            name = node.id
            if name not in listed and name[:2] != "__":
                continue
            if name in RESERVED:
                self.report(node, "name_blocked", name, f"{name} reaches into the interpreter{instead(name)}")
            elif name in own:
                continue
            elif name in policy.constants:
                if id(node) not in self.called:
                    self.report(node, "name_blocked", name, (
                        f"{name} may only be called, with the name of a public attribute that is written out as a string"))
            elif name in listed:
                self.report(node, "name_blocked", name, f"{name} is blocked{instead(name)}")
            elif dunder(name) and name not in HARMLESS:
                self.report(node, "name_blocked", name, f"{name} reaches into the interpreter")

    def judge_attributes(self):
        modules = self.modules
        partly = any(module in WITHHELD or module in FACADES for module in modules.values())
        for node in self.attributes:
            name = node.attr
            if name[:1] != "_" and name not in FRAMES and not partly:
                continue
            root = node.value
            if name[:1] == "_":
                while root.__class__ is Attribute:
                    root = root.value
            module = modules.get(root.id) if root.__class__ is Name else None
            if refused := refuse_attribute(name, module, node.ctx.__class__ is Store):
                self.report(node, "attribute_blocked", name, refused)
            elif name == "__dict__" and node.ctx.__class__ is Load:
                self.tables.append(node)

    def violations(self):
        columns = Columns(self.code)
        self.found.sort()
        return [(line, columns.of(line, offset), *rest) for line, offset, *rest in self.found[:MAX_VIOLATIONS]]


# Builtins that start a dialogue with somebody at a terminal.
UNAVAILABLE = frozenset(("breakpoint", "help", "license", "copyright", "credits"))


def check(tree, code, policy):
    """All places where the program breaks the policy, in the order of the text,
    and whether the tree was rewritten."""
    walk = Check(policy, code)
    walk.walk(tree)
    walk.judge_names()
    walk.judge_attributes()
    changed = rewrite(walk)
    return walk.violations(), changed


def imported(tree, policy):
    """The modules that a program imports, as whole dotted names, sorted."""
    found, todo = set(), [tree]
    while todo:
        node = todo.pop()
        if node.__class__ is Import:
            found.update(item.name for item in node.names)
        elif node.__class__ is ImportFrom:
            module = "." * node.level + (node.module or "")
            for item in node.names:
                whole = f"{module}.{item.name}"
                found.add(whole if policy and whole in policy.imports else module)
        else:
            for field in FIELDS.get(node.__class__, ()):
                value = getattr(node, field)
                if value.__class__ is list:
                    todo += value
                else:
                    todo.append(value)
    return sorted(found - {"__future__"})
