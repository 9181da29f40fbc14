# technique: an allowed library feeds the bytes of any file to a parser of the program's own
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import xml.etree.ElementTree as tree

class Bytes:
    def __init__(self, path):
        self.parts = []
        tree.parse(path, self)

    def feed(self, data):
        self.parts.append(data)

    def close(self):
        return None

    def read(self):
        return b"".join(self.parts)

read_host(lambda: Bytes)
