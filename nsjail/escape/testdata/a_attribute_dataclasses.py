# technique: builtins as a plain attribute of a module of the standard level
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import dataclasses

read_host(lambda: dataclasses.builtins.open)
