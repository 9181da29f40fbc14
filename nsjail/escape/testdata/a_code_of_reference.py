# technique: a forward reference compiles its text
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import types
import typing

read_host(lambda: types.FunctionType(typing.ForwardRef("open").__forward_code__, {})())
