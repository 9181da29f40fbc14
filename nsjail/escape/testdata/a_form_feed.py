# technique: a form feed before a statement
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import os
    return os

start_process(trick)
