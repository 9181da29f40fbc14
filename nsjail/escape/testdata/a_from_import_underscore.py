# technique: an imported name with an underscore
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    from random import _os
    return _os

start_process(trick)
