# technique: the object that shows the licence reads the file that it is told
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
class Pages:
    def __init__(self, path):
        license._Printer__filenames, license._Printer__lines = [path], None
        license._Printer__setup()
        reached("the object that shows the licence, and reads files")

    def read(self):
        return "\n".join(license._Printer__lines)

read_host(lambda: Pages)
