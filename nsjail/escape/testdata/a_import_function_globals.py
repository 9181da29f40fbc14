# technique: the function beneath import statements is Python code with globals of its own
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import string

def trick():
    table = globals()["__built" + "ins__"]
    table = table if isinstance(table, dict) else vars(table)
    hook = table["__imp" + "ort__"]
    field = "0.__self__" if is_builtin(hook, "__import__") else "0.__globals__[builtins]"
    return string.Formatter().get_field(field, (hook,), {})[0].open

read_host(trick)
