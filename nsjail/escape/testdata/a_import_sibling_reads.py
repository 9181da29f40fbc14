# technique: a module beside the allowed one reads files
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import xml.etree.ElementInclude as include

    class Loader:
        def __init__(self, path):
            self.path = path

        def read(self):
            return include.default_loader(self.path, "text")
    return Loader

read_host(trick)
