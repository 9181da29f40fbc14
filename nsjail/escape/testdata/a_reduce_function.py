# technique: the reduce protocol names a library's function
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
read_host(lambda: ().__reduce_ex__(2)[0].__globals__["__builtins__"]["open"])
