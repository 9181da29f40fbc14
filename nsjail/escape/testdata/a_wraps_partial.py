# technique: the decorator wraps with attributes that the program names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools

class Box:
    def __call__(self):
        pass

def trick():
    box = functools.wraps(print, assigned=("__se" + "lf__",), updated=())(Box())
    return open_of(vars(box)["__se" + "lf__"])

read_host(trick)
