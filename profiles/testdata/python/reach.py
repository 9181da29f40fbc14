"""Walks from what a program sees to all that it can reach by attributes that the
tree check lets pass and by the items of containers, and prints what is the
interpreter's own. Arguments: a directory with the harness; imports and blocked
names, with commas; a module of the library to be handed out as it is, or none."""

import builtins
import sys

directory, imports, names, planted = sys.argv[1:]
space = {"__name__": "harness"}
sys.argv = [directory + "/harness.py"]
for file in ("harness", "program"):
    text = open(f"{directory}/{file}.py").read().removesuffix("\nmain()\n")
    exec(compile(text, f"{directory}/{file}.py", "exec"), space)
space["load_tree_classes"]()
space["SHIM"] = type(sys)("shim")
space["SHIM"].permit = bool

level = space["Level"](["restricted", imports.replace(",", "\n"), "", names.replace(",", "\n"), ""])
policy = level.policy
sys.modules.pop("__main__")
level.prepare()
main = level.main("").__dict__
see = main["__builtins__"]["__import__"]
roots = {"the builtins": main["__builtins__"]}
for name in policy.imports:
    see(name)
for name in policy.imports:
    parent, _, last = name.rpartition(".")
    roots[name] = see(parent, fromlist=(last,)) if parent and parent not in policy.imports else see(name)
roots.update({f"an object of {type(thing).__name__}": thing for thing in (
    (lambda: 0), (i for i in ()), AttributeError(obj=1), type, super, property, memoryview(b""), range(1))})
if planted:
    roots["planted"] = type("Holder", (), {"module": __import__(planted)})

import io
import os
forbidden = {id(builtins), id(builtins.__dict__), id(sys), id(sys.__dict__), id(sys.modules), id(os), id(sys.modules["posix"]), id(io.FileIO)}
forbidden |= {id(builtins.__dict__[name]) for name in (
    "open", "eval", "exec", "compile", "__import__", "getattr", "setattr", "vars", "globals", "locals", "breakpoint")}
ours = {id(module) for name, module in sys.modules.items()}
kinds = tuple(type(thing) for thing in (sys._getframe(), (lambda: 0).__code__))
refused, exact_type = space["refuse_attribute"], type

# Slots of types are made anew each time they are read, and lead nowhere.
slots = tuple(type(thing) for thing in ((0).__add__, int.__add__, [].append, list.append))
leading = frozenset("__class__ __wrapped__ __origin__ __args__ __annotations__ __parameters__ __orig_bases__".split())

seen, todo, found = set(), [(name, thing, 0) for name, thing in roots.items()], set()
keep = []
while todo:
    path, thing, depth = todo.pop(0)
    if id(thing) in seen:
        continue
    seen.add(id(thing))
    keep.append(thing)
    if id(thing) in forbidden or isinstance(thing, kinds) or isinstance(thing, exact_type(sys)) and id(thing) in ours:
        found.add(f"{path} is {thing!r:.80}")
        continue
    if depth == 6 or isinstance(thing, (str, bytes, int, float, *slots)):
        continue
    table = space["table_of"](thing, None)
    dictionaries = [dict(table)] if table is not None else []
    for name in {*dir(thing), *[name for d in dictionaries for name in d if isinstance(name, str)]}:
        if not refused(name) and (name[:2] != "__" or name in leading):
            try:
                value = space["guarded_getattr"](thing, name)
            except BaseException:
                continue
            todo.append((f"{path}.{name}", value, depth + 1))
    if isinstance(thing, (dict, space["MappingProxyType"])):
        todo += [(f"{path}[{key!r:.40}]", value, depth + 1) for key, value in list(thing.items())]
    elif isinstance(thing, (list, tuple, set, frozenset)):
        todo += [(f"{path}[...]", value, depth + 1) for value in list(thing)[:1000]]
    for d in dictionaries:
        todo += [(f"vars({path})[{key!r:.40}]", value, depth + 1) for key, value in d.items()]
print(f"{len(seen)} objects", file=sys.stderr)
print("".join(line + "\n" for line in sorted(found)), end="")
