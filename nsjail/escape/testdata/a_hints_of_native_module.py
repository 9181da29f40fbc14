# technique: annotations of a class that claims to be of a module in C
# family: A
# severity: H
# layers: policy, seccomp
import typing

class Holder:
    __module__ = "sys"
    field: "modules"

start_process(lambda: typing.get_type_hints(Holder)["field"]["posix"])
