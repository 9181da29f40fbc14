# technique: a module's specification holds a loader that reads any file
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

def trick():
    class Data:
        def __init__(self, path):
            self.path = path

        def read(self):
            return json.__spec__.loader.get_data(self.path)
    return Data

read_host(trick)
