# technique: an enumeration made of a type's table hands its entries to the metaclass
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

key = "__glo" + "bals__"

def by_table(table):
    """The real open, by the descriptors that the table of functions holds."""
    return table[key].__get__(json.dumps)["__built" + "ins__"]["op" + "en"]

def trick():
    import enum
    found = {}

    class Meta(enum.EnumType):
        def __new__(meta, name, bases, space, **rest):
            found.update(space)
            return super().__new__(meta, name, bases, space, **rest)

    class Own(enum.Enum, metaclass=Meta):
        pass
    try:
        Own._convert_("Found", "__main__", lambda name: name == key, type(won))
    except TypeError:
        pass
    return by_table(found)

read_host(trick)
