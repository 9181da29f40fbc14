# technique: single dispatch evaluates the annotation of what is registered
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools

found = []

def trick():
    @functools.singledispatch
    def show(x):
        pass

    def show_int(x):
        pass
    show_int.__annotations__["x"] = "found.append(op" + "en) or int"
    show.register(show_int)
    return found[0]

read_host(trick)
