# technique: compile a text, and make a function of it
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import types

read_host(lambda: types.FunctionType(compile("op" + "en", "x", "eval"), {})())
