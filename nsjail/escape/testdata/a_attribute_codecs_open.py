# technique: a library's own function that opens files, as a plain attribute
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

read_host(lambda: json.codecs.open)
