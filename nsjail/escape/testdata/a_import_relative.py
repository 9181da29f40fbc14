# technique: a relative import from a package that the program claims to be in
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
__package__ = "xml.etree"

def trick():
    import xml.etree.ElementTree
    from .ElementInclude import default_loader

    class Loader:
        def __init__(self, path):
            self.path = path

        def read(self):
            return default_loader(self.path, "text")
    return Loader

read_host(trick)
