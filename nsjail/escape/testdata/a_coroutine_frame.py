# technique: the builtins of a coroutine's frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
async def nothing():
    pass

def trick():
    c = nothing()
    found = c.cr_frame.f_builtins["open"]
    c.close()
    return found

read_host(trick)
