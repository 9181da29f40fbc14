# technique: an allowed library asks a path twice where it leads
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import xml.etree.ElementTree as tree

class Path:
    def __init__(self, path):
        self.answers = ["harmless.xml", path]

    def __fspath__(self):
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

class Bytes:
    def __init__(self, path):
        self.parts = []
        path = Path(path)
        try:
            tree.parse(path, self)
        except FileNotFoundError:
            tree.parse(path, self)

    def feed(self, data):
        self.parts.append(data)

    def close(self):
        return None

    def read(self):
        return b"".join(self.parts)

read_host(lambda: Bytes)
