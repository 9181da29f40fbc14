# technique: the variables of a library function's module
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

read_host(lambda: json.dumps.__globals__["__builtins__"]["open"])
