# technique: a reader of the files that arguments name
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import fileinput

    class Lines:
        def __init__(self, path):
            self.lines = fileinput.FileInput(files=(path,))

        def read(self):
            return "".join(self.lines)
    return Lines

read_host(trick)
