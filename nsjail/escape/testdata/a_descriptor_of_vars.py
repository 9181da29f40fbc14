# technique: a descriptor out of a type's table, asked by hand
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

def trick():
    space = vars(type(json.dumps))["__glo" + "bals__"].__get__(json.dumps)
    return space["__built" + "ins__"]["open"]

read_host(trick)
