# technique: a path is a text that says itself what its parts are
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import xml.etree.ElementTree as tree

class Path(str):
    __class__ = str

    def split(self, *rest):
        return []

    def __getitem__(self, key):
        return ""

class Bytes:
    def __init__(self, path):
        self.parts = []
        tree.parse(Path(path), self)

    def feed(self, data):
        self.parts.append(data)

    def close(self):
        return None

    def read(self):
        return b"".join(self.parts)

read_host(lambda: Bytes)
