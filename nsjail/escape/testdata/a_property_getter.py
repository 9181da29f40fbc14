# technique: the function behind a library's property
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import statistics

read_host(lambda: statistics.NormalDist.mean.fget.__globals__["__builtins__"]["open"])
