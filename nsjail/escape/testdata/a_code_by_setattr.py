# technique: setattr gives a library function other code
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

def trick():
    setattr(json.dumps, "__co" + "de__", getattr(lambda o: codecs, "__co" + "de__"))
    return json.dumps(1).open

read_host(trick)
