# technique: annotations of a typed dictionary that claims to be of a module in C
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

class Holder(typing.TypedDict):
    __module__ = "_io"
    field: "open"

read_host(lambda: typing.get_type_hints(Holder)["field"])
