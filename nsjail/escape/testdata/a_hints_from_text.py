# technique: an annotation put into a function at run time is evaluated in its globals
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

def holder():
    pass

def trick():
    holder.__annotations__["field"] = "op" + "en"
    return typing.get_type_hints(holder)["field"]

read_host(trick)
