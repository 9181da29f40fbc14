# technique: a forward reference into a module in C
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

def holder(field: typing.ForwardRef("open", module="builtins")):
    pass

read_host(lambda: typing.get_type_hints(holder)["field"])
