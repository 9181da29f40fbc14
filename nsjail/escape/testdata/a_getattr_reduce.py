# technique: a chain of attributes by reduce
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import functools

read_host(lambda: functools.reduce(getattr, ["__se" + "lf__", "op" + "en"], print))
