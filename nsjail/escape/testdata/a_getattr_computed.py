# technique: getattr with a computed name
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
read_host(lambda: getattr(getattr(print, "__se" + "lf__"), "op" + "en"))
