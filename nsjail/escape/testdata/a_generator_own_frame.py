# technique: a running generator walks from its own frame to its caller's
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    def walk():
        yield me.gi_frame.f_back.f_back.f_globals
    me = walk()
    space = [found for found in me][0]
    return open_of(space["__built" + "ins__"])

read_host(trick)
