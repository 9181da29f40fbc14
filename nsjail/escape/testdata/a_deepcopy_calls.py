# technique: deep copying calls what an object's reduce method names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy

class Deputy:
    def __reduce__(self):
        return (globals, (), None, None, None)

read_host(lambda: copy.deepcopy([Deputy()])[0]["__builtins__"]["open"])
