# technique: the function beneath import statements, given a text that is equal to others
# family: A
# severity: H
# layers: policy, seccomp
import json

class Name(str):
    asked = 0

    def __hash__(self):
        Name.asked += 1
        return hash("json" if Name.asked == 1 else "posix")

    def __eq__(self, other):
        return other == ("json" if Name.asked == 1 else "posix")

    def partition(self, separator):
        return ("posix", "", "")

def trick():
    table = globals()["__built" + "ins__"]
    table = table if isinstance(table, dict) else vars(table)
    found = table["__imp" + "ort__"](Name("posix"))
    return found if found.__name__ == "posix" else table["__imp" + "ort__"](Name("posix"))

start_process(trick)
