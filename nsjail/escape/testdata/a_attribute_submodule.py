# technique: a submodule of an allowed package carries modules of its own
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

read_host(lambda: json.decoder.scanner.re.enum.bltns.open)
