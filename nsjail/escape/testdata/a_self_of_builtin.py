# technique: the module that a builtin function is bound to
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
read_host(lambda: print.__self__.open)
