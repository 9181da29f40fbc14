# technique: a forward reference into another module
# family: A
# severity: H
# layers: policy, seccomp
import typing

def holder(field: typing.ForwardRef("sys.modules.get", module="typing")):
    pass

start_process(lambda: typing.get_type_hints(holder)["field"]("posix"))
