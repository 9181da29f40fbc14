# technique: a class built without a class statement
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy

def trick():
    build = __build_class__
    def body():
        def __reduce_ex__(self, protocol):
            return (globals, ())
        return None
    deputy = build(body, "Deputy", metaclass=lambda name, bases, space: type(
        name, bases, {"__reduce_" + "ex__": lambda self, protocol: (globals, ())}))
    return copy.copy(deputy())["__builtins__"]["open"]

read_host(trick)
