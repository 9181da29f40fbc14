# technique: builtins as a plain attribute of an allowed module
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

read_host(lambda: json.codecs.builtins.open)
