# technique: a library function gets other code, and runs it with its own globals
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

def trick():
    json.dumps.__code__ = (lambda o: codecs).__code__
    return json.dumps(1).open

read_host(trick)
