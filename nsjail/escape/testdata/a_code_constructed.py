# technique: the class of code objects makes new ones
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import types

def trick():
    old = (lambda: unknown).__code__
    code = types.CodeType(0, 0, 0, old.co_nlocals, old.co_stacksize, old.co_flags, old.co_code, old.co_consts, ("open",),
                          (), "x", "x", "x", 1, old.co_linetable, old.co_exceptiontable)
    return types.FunctionType(code, {})()

read_host(trick)
