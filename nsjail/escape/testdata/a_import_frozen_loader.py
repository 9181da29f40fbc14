# technique: a loader of the frozen import machinery reads any file
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import _frozen_importlib_external as external

    class Loader:
        def __init__(self, path):
            self.path = path

        def read(self):
            return external.FileLoader("x", self.path).get_data(self.path)
    return Loader

read_host(trick)
