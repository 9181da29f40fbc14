# technique: getattr with a constant name that leads out
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
read_host(lambda: getattr(print, "__self__").open)
