# technique: the loader of the program itself reads any file
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    class Data:
        def __init__(self, path):
            self.path = path

        def read(self):
            return __loader__.get_data(self.path)
    return Data

read_host(trick)
