# technique: the builtins of a generator's frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def numbers():
    yield 1

read_host(lambda: numbers().gi_frame.f_builtins["open"])
