# technique: a debugger runs a text
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import bdb
    space = {}
    debugger = bdb.Bdb()
    debugger.trace_dispatch = lambda *rest: None
    debugger.run("found = open", space, space)
    return space["found"]

read_host(trick)
