# technique: a cache of source lines reads any file
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import linecache

    class Lines:
        def __init__(self, path):
            self.path = path

        def read(self):
            return "".join(linecache.getlines(self.path))
    return Lines

read_host(trick)
