# technique: annotations evaluated in an empty namespace
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

class Holder:
    field: "open"

read_host(lambda: typing.get_type_hints(Holder, {}, {})["field"])
