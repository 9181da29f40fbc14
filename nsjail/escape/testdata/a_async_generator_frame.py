# technique: the builtins of an asynchronous generator's frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
async def numbers():
    yield 1

read_host(lambda: numbers().ag_frame.f_builtins["open"])
