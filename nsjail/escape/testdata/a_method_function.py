# technique: the function behind a library object's bound method
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import string

read_host(lambda: string.Formatter().format.__func__.__globals__["__builtins__"]["open"])
