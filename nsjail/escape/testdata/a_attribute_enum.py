# technique: builtins through a module that an allowed module imports
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import re

read_host(lambda: re.enum.bltns.open)
