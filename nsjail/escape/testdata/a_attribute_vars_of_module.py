# technique: a module's names as the items of its table
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

read_host(lambda: vars(json)["codecs"].open)
