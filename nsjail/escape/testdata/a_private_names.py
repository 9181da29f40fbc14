# technique: a class of the right name reaches another class's private names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
class _Printer:
    def setup(self, thing, path):
        thing.__filenames, thing.__lines = [path], None
        thing.__setup()
        reached("the object that shows the licence, and reads files")
        return thing.__lines

class Pages:
    def __init__(self, path):
        self.lines = _Printer().setup(license, path)

    def read(self):
        return "\n".join(self.lines)

read_host(lambda: Pages)
