# technique: annotations of a class that claims to be of another module
# family: A
# severity: H
# layers: policy, seccomp
import typing

class Holder:
    __module__ = "typing"
    field: "sys.modules.get"

start_process(lambda: typing.get_type_hints(Holder)["field"]("posix"))
