"""Runs the harness and then looks at what the program got hold of.

A program under this oracle puts every object that it reaches into the list got.
Once the harness is through with it, the objects in got and in what got holds are
compared, by identity, with what no restricted program may have: the real
modules, the tables that these keep their names in, the builtins that open doors,
frames and code. The last line of standard error says what came of it.
The first argument is the directory of the harness; with "template" behind it the
harness is one, and forks are made by testdata/python/forks.py.
"""
import builtins
import marshal
import posix
import sys
import types

here = sys.argv[1]
if sys.argv[2:]:
    with open(sys.argv[0].replace("oracle/oracle.py", "python/forks.py")) as file:
        exec(file.read(), {"__name__": "forks", "__builtins__": builtins})
sys.argv = [f"{here}/harness.pyc", *sys.argv[2:]]
with open(sys.argv[0], "rb") as file:
    harness = marshal.loads(file.read()[16:])

DOORS = {id(f): f.__name__ for f in (open, eval, exec, compile, __import__, globals, breakpoint)}
DOORS.update({id(v): f"posix.{k}" for k, v in vars(posix).items() if callable(v) and k in (
    "open", "system", "posix_spawn", "fork", "execv", "execve", "listdir", "read", "write", "kill", "unlink")})
KINDS = (types.FrameType, types.CodeType, types.TracebackType)
CONTAINERS = (list, tuple, set, frozenset)
identity, kind_of, number_of, modules = id, type, len, sys.modules
write, exact_dict, ModuleType = posix.write, dict, types.ModuleType


def judge(namespace, outer):
    """Names what got holds that it must not, and the number of objects seen."""
    real = {}
    for name, module in [*modules.items()]:
        if name != "__main__" and kind_of(module) is ModuleType:
            real[identity(module)] = f"module {name}"
            real[identity(module.__dict__)] = f"the table of module {name}"
    real[identity(modules)] = "sys.modules"
    real[identity(outer)] = "the table of the harness"
    real.update(DOORS)
    todo, seen, found = [namespace.get("got")], {}, set()
    while todo and number_of(seen) < 20000:
        value = todo.pop()
        if identity(value) in seen:
            continue
        seen[identity(value)] = value  # kept, so that the number is not used again
        kind = kind_of(value)
        if identity(value) in real:
            found.add(real[identity(value)])
        elif kind in KINDS:
            found.add(f"a {kind.__name__}")
        elif kind in CONTAINERS:
            todo.extend(value)
        elif kind is exact_dict:
            todo.extend(value.keys())
            todo.extend(value.values())
    return sorted(found), number_of(seen)



def leave(status):
    """The harness leaves at once where it can: the oracle looks first."""
    raise SystemExit(status)


posix._exit = leave
space = {"__name__": "__main__", "__builtins__": builtins}
status = 0
try:
    exec(harness, space)
except SystemExit as end:
    status = end.code
finally:
    main = modules.get("__main__")
    if main is not None and "got" in main.__dict__:
        reached, count = judge(main.__dict__, space)
        write(2, f"\nORACLE {count} objects: {', '.join(reached) or 'clean'}\n".encode())
    raise SystemExit(status)
