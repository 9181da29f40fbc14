# technique: an unlisted submodule as an imported name
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    from xml.etree import ElementInclude

    class Loader:
        def __init__(self, path):
            self.path = path

        def read(self):
            return ElementInclude.default_loader(self.path, "text")
    return Loader

read_host(trick)
