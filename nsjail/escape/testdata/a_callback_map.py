# technique: map calls what it is given
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
read_host(lambda: next(map(eval, ["op" + "en"])))
