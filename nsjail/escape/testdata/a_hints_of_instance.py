# technique: annotations of an instance, which has no module
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

class Holder:
    pass

def trick():
    holder = Holder()
    holder.__annotations__ = {"field": "op" + "en"}
    return typing.get_type_hints(holder)["field"]

read_host(trick)
