# technique: import os, and start a program
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import os
    return os

start_process(trick)
