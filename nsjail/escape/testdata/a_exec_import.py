# technique: execute a text that imports
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    space = {}
    exec("import os as found", space)
    return space["found"]

start_process(trick)
