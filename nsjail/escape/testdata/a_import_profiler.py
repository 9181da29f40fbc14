# technique: a profiler runs a text
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import cProfile
    space = {}
    cProfile.Profile().runctx("found = open", space, space)
    return space["found"]

read_host(trick)
